import { workerData } from "node:worker_threads";
import { buildBundles } from "./bundles.ts";
import type { BundlesMessage, BundlesThread } from "./start-bundling.ts";

const { port, isDone }: BundlesThread = workerData;

const message: BundlesMessage = await buildBundles({ joined: true }).then(
  (bundles) => ({ bundles }),
  (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
);
port.postMessage(message);
Atomics.store(isDone, 0, 1);
Atomics.notify(isDone, 0);
