import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../shared/platform/clock.ts";

interface HealthOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether a message could be answered now. Never throws. */
  readonly probe: () => Promise<boolean>;
  readonly everyMs?: number;
  /** A listener is well for so long after a probe that succeeded. */
  readonly lastsMs?: number;
}

/**
 * Answers the load balancer: 200 while the listener can invoke its functions, else 503. A question
 * costs no invocation: how often it is asked does not matter.
 */
export async function serveHealth(options: HealthOptions): Promise<{ readonly port: number; stop(): void }> {
  const { host, port, probe, everyMs = 10_000, lastsMs = 35_000 } = options;
  let wellMs = Number.NEGATIVE_INFINITY;
  const stopped = new AbortController();
  const keepProbing = async () => {
    while (!stopped.signal.aborted) {
      const beganMs = monotonicMs();
      if (await probe()) wellMs = beganMs;
      await sleep(everyMs, undefined, { ref: false, signal: stopped.signal }).catch(() => {});
    }
  };
  const server = createServer((_, response) =>
    response.writeHead(monotonicMs() - wellMs < lastsMs ? 200 : 503, { connection: "close" }).end(),
  );
  server.listen(port, host);
  await once(server, "listening");
  void keepProbing();
  const stop = () => {
    stopped.abort();
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}
