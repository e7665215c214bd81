/**
 * What `npm start` runs in a process of its own: the local environment's templates, and each
 * function's bundle, which a thread writes while CDK works.
 */

import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { projectRoot } from "../constructs/bundle.ts";

/** Running platforms still load files from the bundles that they started with. */
const keptEarlier = 4;
const outdir = path.join(projectRoot, "cdk.out/local");
// A new directory, because another platform may use the last one.
const bundles = `bundles-${Date.now()}`;
const url = new URL("./write-bundles.ts", import.meta.url);
// Rejects if the thread fails.
const written = once(new Worker(url, { workerData: path.join(outdir, bundles), execArgv: [] }), "exit");
// CDK takes a second to import.
const { createApp } = await import("../app.ts");
const { codeContext } = await import("../constructs/code-asset.ts");
// The templates are in a directory of their own, beside the bundles.
const context = { [codeContext]: `../${bundles}` };
createApp(["local"], { outdir, checked: false, context }).synth();
await written;
const earlier = readdirSync(outdir).filter((name) => /^bundles-\d+$/.test(name) && name !== bundles);
for (const name of earlier.toSorted().slice(0, -keptEarlier))
  rmSync(path.join(outdir, name), { recursive: true });
