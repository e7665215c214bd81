import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { type DnsServer, startDnsServer, type Zone } from "./dns.ts";

interface DnsThreadData {
  zone: Zone;
  /** Set once the thread has taken the last message in. */
  taken: SharedArrayBuffer;
}

type DnsThreadMessage = { answering: boolean } | "stop";

const PATIENCE_MS = 1_000;

/**
 * The DNS server in a thread of its own: callers give up on a name after a few hundred milliseconds, and a burst of TLS
 * handshakes keeps the main thread busy for longer.
 */
export async function startDnsThread(zone: Zone): Promise<DnsServer> {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const data: DnsThreadData = { zone, taken: taken.buffer as SharedArrayBuffer };
  const worker = new Worker(new URL("./dns-thread.ts", import.meta.url), { workerData: data, execArgv: [] });
  const [address]: [string] = (await once(worker, "message")) as [string];
  const tell = (message: DnsThreadMessage) => worker.postMessage(message);
  return {
    address,
    setAnswering: (answering) => {
      Atomics.store(taken, 0, 0);
      tell({ answering });
      Atomics.wait(taken, 0, 0, PATIENCE_MS);
    },
    stop: async () => {
      const exit = once(worker, "exit");
      tell("stop");
      await exit;
    },
  };
}

async function serve({ zone, taken }: DnsThreadData): Promise<void> {
  const server = await startDnsServer(zone);
  const flag = new Int32Array(taken);
  parentPort?.on("message", async (message: DnsThreadMessage) => {
    if (message === "stop") {
      await server.stop();
      parentPort?.close();
      return;
    }
    server.setAnswering(message.answering);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
  parentPort?.postMessage(server.address);
}

if (!isMainThread && workerData?.zone !== undefined) await serve(workerData);
