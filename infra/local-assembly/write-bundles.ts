import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { workerData } from "node:worker_threads";
import { buildBundles } from "../constructs/bundles.ts";

const directory: string = workerData;

for (const [folder, bundle] of await buildBundles({ joined: false })) {
  mkdirSync(path.join(directory, folder), { recursive: true });
  for (const [name, contents] of bundle) writeFileSync(path.join(directory, folder, name), contents);
}
