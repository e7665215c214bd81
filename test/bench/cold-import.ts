import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { bundling } from "../../infra/bundling.ts";
import { readAssembly } from "../../infra/local/assembly.ts";
import { ensureFreshAssembly } from "../../infra/local/fresh-assembly.ts";
import { median, progress, type Row } from "./report.ts";

const limit = 1.5;
const repetitions = 11;

export const columns = ["bundle", "size KB", "import ms", "ratio", "limit"];

/**
 * The cold import of each deployed bundle, each time in a process of its own, against that of a bundle that holds the DynamoDB client
 * alone and was made in the same way. The size is that of the file that a cold start reads first.
 */
export async function coldImports(): Promise<Row[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "bench-"));
  const assemblyFolder = await ensureFreshAssembly({ say: progress });
  const parameters = { DnsServers: "127.0.0.1:53", AllowedReceivers: "" };
  const assembly = readAssembly(assemblyFolder, { parameters, queueEndpoint: "http://127.0.0.1:1" });
  const bundles = new Map([["DynamoDB client alone", buildBaseline(directory)]]);
  for (const resource of assembly.ofType("AWS::Lambda::Function")) {
    bundles.set(serviceOf(resource.properties), path.join(assembly.assetPath(resource), "handler.mjs"));
  }
  try {
    return rowsOf(bundles);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function serviceOf(properties: Record<string, unknown>): string {
  const { Variables } = properties.Environment as { Variables: Record<string, string> };
  return String(Variables.POWERTOOLS_SERVICE_NAME);
}

function rowsOf(bundles: ReadonlyMap<string, string>): Row[] {
  const times = new Map([...bundles.keys()].map((name) => [name, [] as number[]]));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    progress(`cold imports ${repetition + 1} of ${repetitions}`);
    for (const [name, file] of bundles) times.get(name)?.push(importTime(file));
  }
  const medians = new Map([...times].map(([name, all]) => [name, median(all)]));
  const [[baseline = 0] = []] = [[...medians.values()]];
  return [...bundles].map(([name, file], index) => {
    const time = medians.get(name) ?? Number.NaN;
    const ratio = time / baseline;
    const kilobytes = Math.round(statSync(file).size / 1024);
    return {
      cells: [name, kilobytes, time.toFixed(1), ratio.toFixed(2), index === 0 ? "" : limit],
      broken:
        ratio > limit
          ? `${name} takes ${ratio.toFixed(2)} times the client's import, not ${limit}.`
          : undefined,
    };
  });
}

/** Milliseconds that a fresh process takes to import the file, without the start of the process itself. */
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
