import { readdirSync } from "node:fs";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { bundling } from "../../infra/constructs/bundle.ts";

/**
 * What is imported with a handler: what none of its events can be handled without. What only some
 * need is imported with the first of them (`endpoints` of shared/platform/http/api-handler.ts,
 * shared/platform/deferred-handler.ts), and so is a client that few invocations call.
 */
const log = ["node:async_hooks", "node:console"];
const table = ["@aws-sdk/client-dynamodb", "@aws-sdk/lib-dynamodb", "@aws-sdk/util-dynamodb", "node:zlib"];
const ids = ["node:crypto", "ulid"];
const always = [
  "shared/platform/log.ts",
  "shared/platform/metrics.ts",
  "shared/contract/metrics.ts",
  "shared/platform/environment.ts",
  "shared/platform/pick.ts",
  "shared/platform/plain-json.ts",
  "shared/platform/request-limits.ts",
  "shared/platform/short-calls.ts",
  "shared/platform/load-once.ts",
  "shared/platform/clock.ts",
  "shared/platform/time-budget.ts",
  "shared/platform/id.ts",
  "shared/platform/table/",
  "shared/contract/identifiers.ts",
  "shared/contract/packed-items.ts",
  "shared/ledger/hot/with-hot-wallets.ts",
];
const contract = ["shared/contract/errors.ts"];

interface ColdStart {
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

const deferred: ColdStart = { files: ["shared/platform/deferred-handler.ts"], packages: [...log, ...table] };
const api: ColdStart = {
  files: [
    "shared/platform/http/api-error.ts",
    "shared/platform/http/api-handler.ts",
    "shared/platform/http/response.ts",
    ...contract,
  ],
  packages: [...log, ...table, ...ids, "@middy/core"],
};
const others: Record<string, ColdStart> = {
  operator: {
    files: ["shared/tenancy/administration/", "shared/platform/http/api-error.ts", ...contract],
    packages: [...log, ...table, "zod"],
  },
  "outbox-relay": {
    files: [
      "functions/outbox-relay/",
      "shared/contract/outbox.ts",
      "shared/platform/outbox/carried-event.ts",
    ],
    packages: [...log, "@aws-sdk/client-eventbridge", "@aws-sdk/util-dynamodb", "node:zlib", "zod"],
  },
};

/**
 * All bundles at once, without packages: what an entry reads is the same as in a bundle of its own.
 */
const folders = readdirSync("functions");
const entryPoints = folders.map((folder) => `functions/${folder}/handler.ts`);
const { outputs } = buildSync({
  ...bundling,
  entryPoints,
  outdir: "bundles",
  outbase: "functions",
  metafile: true,
  packages: "external",
}).metafile;

describe.each(folders)("the cold start of %s", (folder) => {
  const { files, packages } = coldStart(folder);
  const isApi = files.some((file) => file.startsWith("shared/platform/http/"));
  const expected = others[folder] ?? (isApi ? api : deferred);

  it("imports no file that only some of its events need", () => {
    const allowed = [`functions/${folder}/handler.ts`, ...always, ...expected.files];
    expect(files).toContain(`functions/${folder}/handler.ts`);
    expect(files.filter((file) => !allowed.some((start) => file.startsWith(start)))).toEqual([]);
  });

  it("imports no package, client or built-in module that only some of its events need", () => {
    expect(packages).toEqual(expected.packages.toSorted());
  });
});

/**
 * What importing the handler reads: its bundle's file and what is statically imported from there;
 * packages are named and not followed.
 */
function coldStart(folder: string) {
  const read = new Set<string>();
  const packages = new Set<string>();
  const follow = (output: string) => {
    if (read.has(output)) return;
    read.add(output);
    for (const { path, kind, external } of outputs[output]?.imports ?? []) {
      if (kind !== "import-statement") continue;
      if (external) packages.add(path);
      else follow(path);
    }
  };
  follow(`bundles/${folder}/handler.mjs`);
  const files = [...read].flatMap((output) => Object.keys(outputs[output]?.inputs ?? {}));
  return { files, packages: [...packages].toSorted() };
}
