import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { bundling } from "../../../infra/constructs/bundle.ts";
import { buildBundles } from "../../../infra/constructs/bundles.ts";
import { median, progress, type Row } from "./report.ts";

const repetitions = 11;

export const columns = ["bundle", "size KB", "read at once KB", "import ms", "ratio"];

/**
 * The cold import of each deployed bundle in its own process, compared with a bundle that contains
 * only the DynamoDB client.
 */
export async function coldImports(): Promise<Row[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "bench-"));
  try {
    const files = new Map([["DynamoDB client alone", buildBaseline(directory)]]);
    for (const [folder, bundle] of await buildBundles({ joined: true })) {
      mkdirSync(path.join(directory, folder));
      for (const [name, contents] of bundle) writeFileSync(path.join(directory, folder, name), contents);
      // A container never starts cold.
      if (folder !== "listener") files.set(folder, path.join(directory, folder, "handler.mjs"));
    }
    return rowsOf(files);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function rowsOf(bundles: ReadonlyMap<string, string>): Row[] {
  const measured = measure(bundles);
  return [...bundles].map(([name, file]) => {
    const { time = 0, ratio = Number.NaN } = measured.get(name) ?? {};
    const folder = path.dirname(file);
    const all = readdirSync(folder).filter((entry) => entry.endsWith(".mjs"));
    const kilobytes = (files: readonly string[]) =>
      Math.round(files.reduce((sum, one) => sum + statSync(path.join(folder, one)).size, 0) / 1024);
    const read = [...readAtOnce(folder, path.basename(file))];
    return { cells: [name, kilobytes(all), kilobytes(read), time.toFixed(1), ratio.toFixed(2)] };
  });
}

/**
 * Each bundle's median time, and its median ratio to the first bundle, imported right before it:
 * the machine's speed varies within seconds.
 */
function measure(bundles: ReadonlyMap<string, string>): Map<string, { time: number; ratio: number }> {
  const [baseline = ""] = bundles.values();
  const measured = [...bundles].map(([name, file]) => ({
    name,
    file,
    times: [] as number[],
    ratios: [] as number[],
  }));
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    progress(`cold imports ${repetition} of ${repetitions}`);
    for (const { file, times, ratios } of measured) {
      const bare = importTime(baseline);
      const own = importTime(file);
      times.push(own);
      ratios.push(own / bare);
    }
  }
  return new Map(
    measured.map(({ name, times, ratios }) => [name, { time: median(times), ratio: median(ratios) }]),
  );
}

/** The file and what it imports statically. */
function readAtOnce(folder: string, file: string, read = new Set<string>()): Set<string> {
  if (read.has(file)) return read;
  read.add(file);
  const code = readFileSync(path.join(folder, file), "utf8");
  for (const [, imported = ""] of code.matchAll(/(?:from|import)"\.\/([^"]+\.mjs)"/g))
    readAtOnce(folder, imported, read);
  return read;
}

/** Milliseconds, without the start of the process itself. */
function importTime(file: string): number {
  const script = `const start = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - start);`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    env: { ...process.env, AWS_REGION: "eu-west-1" },
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

/** The client as a function would have it that needed nothing else. */
function buildBaseline(directory: string): string {
  const contents = `
    import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
    export const handler = new DynamoDBClient();`;
  const entryNames = "handler";
  const stdin = { contents, resolveDir: import.meta.dirname };
  buildSync({ ...bundling, write: true, stdin, entryNames, outdir: directory });
  return path.join(directory, "handler.mjs");
}
