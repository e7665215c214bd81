import { rmSync } from "node:fs";
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { BuildFailure } from "esbuild";
import { findWritten, isWritten, writeBundle } from "../constructs/bundles.ts";
import { buildChanged, type Origins, readWritten } from "./changed-bundles.ts";

/** A thread of `npm start -- --watch`: it gets directories of bundles, and answers with this. */
export type Rebuilt =
  /** The new directory of each whose code has changed. */
  { readonly replaced: ReadonlyMap<string, string> } | { readonly error: string };

const project: string = workerData;
const assembly = path.join(project, "cdk.out/local");
const written: string[] = [];
let known: Origins | undefined;

async function rebuild(directories: ReadonlySet<string>): Promise<Rebuilt> {
  known ??= findOrigins(directories);
  const { bundles: built, origins } = await buildChanged(project, known);
  known = origins;
  const folder = path.join(assembly, `rebuilt-${Date.now()}`);
  const replaced = new Map<string, string>();
  for (const directory of directories) {
    const name = path.basename(directory);
    const bundle = built.get(name);
    if (bundle === undefined || isWritten(directory, bundle)) continue;
    if (replaced.size === 0) written.push(folder);
    writeBundle(path.join(folder, name), bundle, findWritten(path.dirname(directory)));
    replaced.set(directory, path.join(folder, name));
  }
  return { replaced };
}

/** None, if another synthesis has been made since these directories were. */
function findOrigins(directories: ReadonlySet<string>): Origins {
  const { directory, origins } = readWritten(assembly);
  const made = path.join(assembly, directory);
  return [...directories].every((one) => path.dirname(one) === made) ? origins : {};
}

/** The compiler's first complaint, as a sentence. */
function describe(error: unknown): string {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  if (first === undefined) return error instanceof Error ? error.message : String(error);
  const { location, text } = first;
  return location ? `${location.file}:${location.line}: ${text}` : text;
}

function end(): void {
  for (const folder of written) rmSync(folder, { recursive: true, force: true });
  parentPort?.close();
}

parentPort?.on("message", async (directories: ReadonlySet<string> | "end") => {
  if (directories === "end") return end();
  const rebuilt = await rebuild(directories).catch((error: unknown) => ({ error: describe(error) }));
  parentPort?.postMessage(rebuilt);
});
