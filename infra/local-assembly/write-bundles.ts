import path from "node:path";
import { workerData } from "node:worker_threads";
import { findWritten, openBundles, writeBundle } from "../constructs/bundles.ts";

/** Where to write each function's bundle, and where those of the last synthesis are. */
const { directory, earlier }: { directory: string; earlier: string } = workerData;

await using bundles = await openBundles();
const written = findWritten(earlier);
for (const [folder, bundle] of await bundles.rebuild())
  writeBundle(path.join(directory, folder), bundle, written);
