import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { MessagePort } from "node:worker_threads";
import type { OrderlyThread, ThreadOrder } from "../../../../infra/local/interfaces.ts";
import { readSharedTime } from "../../../../infra/local/moved-date.ts";
import { OneCallAtATime, type Target } from "./one-call-at-a-time.ts";
import type { OutsideQuestion, OutsideReply } from "./outside.ts";
import { seedThread } from "./seeded-thread.ts";
import { VirtualTimers } from "./virtual-timers.ts";

/** Refuses connections on every machine that this runs on. */
const closedPort = 1;

/**
 * Makes a function's thread repeatable: its randomness, its time, and the order of its calls. Call
 * it before the function's code is imported.
 */
export async function orderThread(
  { seed, outside }: ThreadOrder,
  sharedClock: SharedArrayBuffer,
  codeDirectory: string,
): Promise<OrderlyThread> {
  const reseed = seedThread(seed);
  const shared = new BigInt64Array(sharedClock);
  const clock = {
    now: () => readSharedTime(shared, 0),
    moveTo: (time: number) => {
      if (time > clock.now()) Atomics.store(shared, 1, BigInt(Math.ceil(time)));
    },
  };
  performance.now = clock.now;
  const look = () => timers.look();
  const calls = new OneCallAtATime((target) => directOutside(outside, target, calls), look);
  const timers = new VirtualTimers(clock, () => calls.isBusy);
  await importAll(codeDirectory);
  return {
    begin: (invocationId) => {
      reseed(`${seed}/${invocationId}`);
      timers.begin();
    },
    end: () => timers.end(),
  };
}

/** Sends calls that are not for the platform's own services to `Outside`, and waits as it says. */
async function directOutside(outside: MessagePort, target: Target, calls: OneCallAtATime): Promise<void> {
  const [host, port] = [String(target.host), Number(target.port)];
  if (isService(port)) return;
  const ask = (question: OutsideQuestion) => outside.postMessage(question);
  const opened = await new Promise<number | undefined>((resolve) => {
    outside.removeAllListeners("message");
    outside.on("message", (reply: OutsideReply) => {
      if (reply.kind === "connect") return resolve(reply.port);
      if (reply.afterMs !== undefined) {
        setTimeout(() => {
          void calls.receive();
          ask({ kind: "arrived" });
        }, reply.afterMs);
      }
      calls.setAside();
    });
    ask({ kind: "connect", host, port });
  });
  Object.assign(target, { host: "127.0.0.1", port: opened ?? closedPort });
}

function isService(port: number): boolean {
  const services = Object.entries(process.env).filter(([name]) => name.startsWith("AWS_ENDPOINT_URL"));
  return services.some(([, url = ""]) => Number(new URL(url).port) === port);
}

/** Reading a file later would take an unknown time, during which a timer could fire. */
async function importAll(directory: string): Promise<void> {
  const files = readdirSync(directory).filter((name) => name.endsWith(".mjs"));
  for (const name of files.toSorted()) {
    // What cannot be imported fails when it is needed, as always.
    await import(pathToFileURL(join(directory, name)).href).catch(() => undefined);
  }
}
