/**
 * What `npm start` runs in a process of its own: the local environment's templates, and each
 * function's bundle, which a thread writes while CDK works. With `bundles`, only those are new.
 */

import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { projectRoot } from "../constructs/bundle.ts";
import { loadApp } from "./load-app.ts";
import { findOutdated } from "./outdated-bundles.ts";

const outdir = path.join(projectRoot, "cdk.out/local");
// A new directory, because another platform may use the last one.
const bundles = `bundles-${Date.now()}`;
const url = new URL("./write-bundles.ts", import.meta.url);
const workerData = { assembly: outdir, directory: bundles };
// Rejects if the thread fails.
const written = once(new Worker(url, { workerData, execArgv: [] }), "exit");
if (process.argv[2] === "bundles") {
  await written;
  nameNewBundles(path.join(outdir, "assembly-local"));
} else {
  await synthesize();
  await written;
}
for (const name of findOutdated(readdirSync(outdir))) rmSync(path.join(outdir, name), { recursive: true });

async function synthesize(): Promise<void> {
  mkdirSync(outdir, { recursive: true });
  const { createApp, codeContext, inputs } = await loadApp(outdir);
  // The templates are in a directory of their own, beside the bundles.
  const context = { [codeContext]: `../${bundles}` };
  createApp(["local"], { outdir, checked: false, context }).synth();
  // What the templates are made of, so that the next start knows whether it needs new ones.
  const shared = inputs.filter((file) => !file.startsWith("infra/")).toSorted();
  writeFileSync(path.join(outdir, "inputs.json"), JSON.stringify(shared));
}

function nameNewBundles(assembly: string): void {
  for (const name of readdirSync(assembly).filter((one) => one.endsWith(".assets.json"))) {
    const file = path.join(assembly, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/\bbundles-\d+/g, bundles));
  }
}
