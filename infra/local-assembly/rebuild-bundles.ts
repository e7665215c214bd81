import { rmSync } from "node:fs";
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { BuildFailure } from "esbuild";
import { findWritten, isWritten, openBundles, writeBundle } from "../constructs/bundles.ts";

/** A thread of `npm start -- --watch`: it gets directories of bundles, and answers with this. */
export type Rebuilt =
  /** The new directory of each whose code has changed. */
  { readonly replaced: ReadonlyMap<string, string> } | { readonly error: string };

const project: string = workerData;
const bundles = await openBundles(project);
const written: string[] = [];

async function rebuild(directories: ReadonlySet<string>): Promise<Rebuilt> {
  const built = await bundles.rebuild();
  const folder = path.join(project, `cdk.out/local/bundles-${Date.now()}`);
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

/** The compiler's first complaint, as a sentence. */
function describe(error: unknown): string {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  if (first === undefined) return error instanceof Error ? error.message : String(error);
  const { location, text } = first;
  return location ? `${location.file}:${location.line}: ${text}` : text;
}

async function end(): Promise<void> {
  await bundles[Symbol.asyncDispose]();
  for (const folder of written) rmSync(folder, { recursive: true, force: true });
  parentPort?.close();
}

parentPort?.on("message", async (directories: ReadonlySet<string> | "end") => {
  if (directories === "end") return end();
  const rebuilt = await rebuild(directories).catch((error: unknown) => ({ error: describe(error) }));
  parentPort?.postMessage(rebuilt);
});
