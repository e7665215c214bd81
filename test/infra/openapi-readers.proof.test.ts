import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installToolAsync } from "../../infra/tools/install-tool.ts";
import { freePort } from "../harness/listen.ts";

const document = path.resolve("docs/openapi.json");
const run = promisify(execFile);
let modules: string;
let directory: string;
let prism: ChildProcess | undefined;

beforeAll(async () => {
  modules = await installToolAsync("readers");
  directory = mkdtempSync(path.join(tmpdir(), "readers-"));
});
afterAll(() => void prism?.kill());

/** What the tool prints. Rejects with it where the tool finds a fault. */
async function read(tool: string, ...words: string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [path.join(modules, ".bin", tool), ...words], {
    cwd: directory,
  }).catch(({ stdout, stderr }) => Promise.reject(new Error(`${tool}: ${stdout}${stderr}`)));
  return `${stdout}${stderr}`;
}

describe.concurrent("docs/openapi.json is read without errors", () => {
  test("by swagger-parser", async () => {
    const { default: parser } = await import(
      pathToFileURL(path.join(modules, "@apidevtools/swagger-parser/lib/index.js")).href
    );
    expect(await parser.validate(document)).toMatchObject({ info: { version: "1.0.1" } });
  });

  test("by Spectral", async () => {
    const ruleset = path.join(directory, "ruleset.json");
    writeFileSync(ruleset, JSON.stringify({ extends: ["spectral:oas"] }));
    await read("spectral", "lint", "--ruleset", ruleset, document);
  });

  test("by generators of clients, whose code TypeScript takes", async () => {
    await Promise.all([
      read("openapi-typescript", document, "--output", "types.d.ts"),
      read("oazapfts", document, "oazapfts.ts"),
      read("openapi-ts", "--input", document, "--output", "hey-api"),
      read("orval", "--input", document, "--output", "orval.ts", "--client", "fetch"),
    ]);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2024",
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["es2024", "dom", "dom.iterable"],
      types: [],
      // Its code imports the package that made it.
      paths: { "@oazapfts/*": [path.join(modules, "@oazapfts/*")] },
    };
    const files = ["types.d.ts", "oazapfts.ts", "hey-api/index.ts", "orval.ts"];
    writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const compiler = path.resolve("node_modules/.bin/tsc");
    const { stdout } = await run(compiler, ["-p", directory]).catch((error) => error);
    expect(stdout).toBe("");
    for (const file of files.slice(1)) expect(readFileSync(path.join(directory, file), "utf8")).not.toBe("");
  });

  test("by Prism, which answers in this platform's place", async () => {
    const port = await freePort();
    const words = [path.join(modules, ".bin/prism"), "mock", "--port", String(port), document];
    prism = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
    const printed = Promise.all([prism.stdout, prism.stderr].map((stream) => stream && text(stream)));
    const origin = `http://127.0.0.1:${port}`;
    await untilAnswered(origin);
    const gets = operationsWithoutBody();
    expect(gets.length).toBeGreaterThan(80);
    const answered = gets.map(async (place) => {
      const headers = { "x-api-key": "key", accept: "*/*", prefer: "code=200" };
      const response = await fetch(`${origin}${place}`, { headers });
      await response.arrayBuffer();
      return { place, status: response.status, violations: violations(response) };
    });
    const isFaulty = ({ status, violations }: Awaited<(typeof answered)[number]>) =>
      status !== 200 || violations.length > 0;
    expect((await Promise.all(answered)).filter(isFaulty)).toEqual([]);
    prism.kill();
    await once(prism, "close");
    expect((await printed).join("")).not.toMatch(/fatal/i);
  });
});

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: { readonly example?: unknown; readonly examples?: readonly unknown[] };
}

/** The paths that are read, with the examples of what they need. */
function operationsWithoutBody(): string[] {
  const { paths, components } = JSON.parse(readFileSync(document, "utf8"));
  const resolve = ({ $ref, ...own }: Parameter): Parameter =>
    $ref === undefined ? (own as Parameter) : components.parameters[$ref.split("/").at(-1) ?? ""];
  return Object.entries<Record<string, { parameters?: Parameter[]; responses: object }>>(paths).flatMap(
    ([place, methods]) => {
      const { get } = methods;
      if (get === undefined || !("200" in get.responses)) return [];
      const parameters = (get.parameters ?? []).map(resolve);
      const filled = parameters
        .filter((one) => one.in === "path")
        .reduce((made, one) => made.replace(`{${one.name}}`, exampleOf(one)), place);
      const query = parameters
        .filter((one) => one.in === "query" && one.required)
        .map((one) => `${one.name}=${exampleOf(one)}`);
      return [query.length > 0 ? `${filled}?${query.join("&")}` : filled];
    },
  );
}

function exampleOf({ example, schema }: Parameter): string {
  return encodeURIComponent(String(example ?? schema?.example ?? schema?.examples?.[0]));
}

/** Prism cannot check certificates, which is no fault of the document. */
function violations(response: Response): unknown[] {
  const found: { readonly message: string }[] = JSON.parse(response.headers.get("sl-violations") ?? "[]");
  return found.filter(({ message }) => !message.includes("security scheme: mutualTLS"));
}

async function untilAnswered(origin: string): Promise<void> {
  for (const end = Date.now() + 60_000; ; await delay(100)) {
    if (
      await fetch(origin).then(
        () => true,
        () => false,
      )
    )
      return;
    if (Date.now() > end) throw new Error("Prism does not answer.");
  }
}
