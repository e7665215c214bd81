/**
 * What `npm start` runs in a process of its own: the local environment's templates, and each
 * function's bundle, which a thread writes while CDK works.
 */

import { once } from "node:events";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { projectRoot } from "../constructs/bundle.ts";

const [name = ""] = process.argv.slice(2);
const outdir = path.join(projectRoot, "cdk.out/local");
const workerData = path.join(outdir, name);
const url = new URL("./write-bundles.ts", import.meta.url);
// Rejects if the thread fails.
const written = once(new Worker(url, { workerData, execArgv: [] }), "exit");
// CDK takes a second to import.
const { createApp } = await import("../app.ts");
const { codeContext } = await import("../constructs/code-asset.ts");
// The stage's templates are in a directory of their own, beside the bundles.
const context = { [codeContext]: `../${name}` };
createApp(["local"], { outdir, checked: false, context }).synth();
await written;
