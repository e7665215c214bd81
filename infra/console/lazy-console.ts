import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { MessageChannel, Worker } from "node:worker_threads";

/** Not imported: this module knows no commands. */
const script = new URL("./in-worker.ts", import.meta.url);

interface Started {
  readonly worker: Worker;
  /** Rejects when the thread has ended. */
  readonly ended: Promise<never>;
}

/**
 * The console, in a thread that begins with the first request: a platform that nobody looks at pays
 * no memory for it.
 */
export class LazyConsole {
  readonly #directory: string;
  #starting: Promise<Started> | undefined;

  /** The platform's directory, with its connection file. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Passes the request on, without its body: the console itself decides who may read. */
  async answer({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { worker, ended } = await this.#start();
    const { port1: own, port2: port } = new MessageChannel();
    worker.postMessage({ method, url, headers, port }, [port]);
    const [answered] = await Promise.race([once(own, "message"), ended]);
    own.close();
    response.writeHead(answered.status, answered.headers).end(answered.body);
  }

  async stop(): Promise<void> {
    const started = await this.#starting?.catch(() => undefined);
    await started?.worker.terminate();
  }

  #start(): Promise<Started> {
    if (this.#starting) return this.#starting;
    // What failed, or has ended since, is tried again by the next request.
    const forget = () => {
      this.#starting = undefined;
    };
    this.#starting = start(this.#directory, forget);
    this.#starting.catch(forget);
    return this.#starting;
  }
}

async function start(directory: string, forget: () => void): Promise<Started> {
  const worker = new Worker(script, {
    env: { ...process.env, LOCAL_DIR: directory },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.unref();
  // A fault of the console ends its thread, not the platform.
  worker.on("error", () => undefined);
  worker.once("exit", forget);
  const ended = once(worker, "exit").then(() => {
    throw new Error("The console has ended.");
  });
  await Promise.race([once(worker, "message"), ended]);
  return { worker, ended };
}
