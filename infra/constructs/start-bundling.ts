import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Bundle } from "./bundles.ts";

export interface BundlesThread {
  readonly port: MessagePort;
  readonly isDone: Int32Array;
}

export type BundlesMessage = { readonly bundles: ReadonlyMap<string, Bundle> } | { readonly error: string };

const timeoutMs = 120_000;
let started: BundlesThread | undefined;
let built: ReadonlyMap<string, Bundle> | undefined;

/** Starts a thread that bundles the functions while this one imports CDK. Later calls return it. */
export function startBundling(): BundlesThread {
  if (started) return started;
  const { port1, port2: port } = new MessageChannel();
  const isDone = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: BundlesThread = { port, isDone };
  const url = new URL("./bundles-thread.ts", import.meta.url);
  new Worker(url, { workerData, transferList: [port], execArgv: [] }).unref();
  port1.unref();
  started = { port: port1, isDone };
  return started;
}

/** Waits for the thread without returning to the event loop: constructs are made synchronously. */
export function takeBundle(folder: string): Bundle {
  built ??= waitForBundles(startBundling());
  const bundle = built.get(folder);
  if (bundle === undefined) throw new Error(`There is no function ${folder}`);
  return bundle;
}

function waitForBundles({ port, isDone }: BundlesThread): ReadonlyMap<string, Bundle> {
  Atomics.wait(isDone, 0, 0, timeoutMs);
  const received: { message: BundlesMessage } | undefined = receiveMessageOnPort(port);
  const message = received?.message ?? { error: `no answer within ${timeoutMs} ms` };
  if ("error" in message) throw new Error(`The functions could not be bundled: ${message.error}`);
  return message.bundles;
}
