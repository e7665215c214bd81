import { linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { workerData } from "node:worker_threads";
import { projectRoot } from "../constructs/bundle.ts";
import { findWritten, writeBundle } from "../constructs/bundles.ts";
import { buildChanged, readWritten, type WrittenBundles, writtenFile } from "./changed-bundles.ts";

/** Where to write each function's bundle, inside the assembly. */
const { assembly, directory }: { assembly: string; directory: string } = workerData;

const before = readWritten(assembly);
const earlier = path.join(assembly, before.directory);
const { bundles, origins } = await buildChanged(projectRoot, before.origins);
const files = findWritten(earlier);
for (const folder of Object.keys(origins)) {
  const target = path.join(assembly, directory, folder);
  const bundle = bundles.get(folder);
  if (bundle === undefined) link(path.join(earlier, folder), target);
  else writeBundle(target, bundle, files);
}
const written: WrittenBundles = { directory, origins };
writeFileSync(writtenFile(assembly), JSON.stringify(written));

function link(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) linkSync(path.join(from, name), path.join(to, name));
}
