import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");

interface Operation {
  readonly "x-codeSamples": readonly { readonly label: string; readonly source: string }[];
}

it("compiles each TypeScript sample of the reference against the client", async () => {
  const { paths } = JSON.parse(readFileSync(path.join(root, "docs/openapi.json"), "utf8")) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const samples = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => operation["x-codeSamples"])
    .filter(({ label }) => label === "TypeScript")
    .map(({ source }) => source);
  expect(samples.length).toBeGreaterThan(200);
  const names = new Set(
    samples
      .flatMap((source) => [...source.matchAll(/(?:path|query): \{ ([^}]+) \}/g)])
      .flatMap(([, list = ""]) => list.split(", ")),
  );

  const directory = mkdtempSync(path.join(tmpdir(), "samples-"));
  const client = JSON.stringify(path.join(root, "client/src/card-issuing.ts"));
  writeFileSync(
    path.join(directory, "samples.mts"),
    `import { type Client, jsonLines, unwrap } from ${client};
declare const client: Client;
${[...names].map((name) => `declare const ${name}: string;`).join("\n")}
${samples.map((source) => `export async function _${samples.indexOf(source)}() { ${source} return answer; }`).join("\n")}
`,
  );
  writeFileSync(
    path.join(directory, "tsconfig.json"),
    JSON.stringify({
      extends: path.join(root, "tsconfig.json"),
      compilerOptions: {
        incremental: false,
        tsBuildInfoFile: null,
        typeRoots: [path.join(root, "node_modules/@types")],
      },
      include: ["samples.mts"],
    }),
  );
  const found = await run("npx", ["tsc", "-p", directory], { cwd: root }).catch(({ stdout }) => ({
    stdout,
  }));
  expect(found.stdout).toBe("");
});
