import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { Worker } from "node:worker_threads";

/** Not imported: this module knows no commands. */
const script = new URL("./in-worker.ts", import.meta.url);

/** Not the length of a body, which is not passed on: the next request would be taken for it. */
const passedHeaders = [
  "host",
  "origin",
  "accept",
  "cookie",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
];

interface Started {
  readonly worker: Worker;
  readonly url: string;
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

  /** Passes the request on: the console itself decides who may read. */
  async answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url } = await this.#start();
    const { method, url: path } = asked;
    const headers = Object.fromEntries(
      passedHeaders.flatMap((name) =>
        asked.headers[name] === undefined ? [] : [[name, asked.headers[name]]],
      ),
    );
    const passed = request(new URL(path ?? "", url), { method, headers, setHost: false });
    passed.end();
    const [answered] = (await once(passed, "response")) as [IncomingMessage];
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  }

  async stop(): Promise<void> {
    const started = await this.#starting?.catch(() => undefined);
    await started?.worker.terminate();
  }

  #start(): Promise<Started> {
    if (this.#starting) return this.#starting;
    const starting = start(this.#directory);
    // What failed, or has ended since, is tried again by the next request.
    const forget = () => {
      this.#starting = undefined;
    };
    starting.then(({ worker }) => worker.once("exit", forget), forget);
    this.#starting = starting;
    return starting;
  }
}

async function start(directory: string): Promise<Started> {
  const worker = new Worker(script, {
    env: { ...process.env, LOCAL_DIR: directory },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.unref();
  // A fault of the console ends its thread, not the platform.
  worker.on("error", () => undefined);
  const ended = once(worker, "exit").then(() => {
    throw new Error("The console could not start.");
  });
  const [{ url }] = (await Promise.race([once(worker, "message"), ended])) as [{ url: string }];
  return { worker, url };
}
