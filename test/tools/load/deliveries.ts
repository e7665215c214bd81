import type { ServerResponse } from "node:http";
import { type Client, pages, unwrap } from "../../../client/src/card-issuing.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { EventType } from "../../../shared/contract/enums.ts";
import { type Received, startReceiver } from "../../harness/receiver.ts";
import { deadlineMs, type Sample } from "./kinds.ts";
import type { LoadClock } from "./open-loop.ts";
import type { Caused } from "./requests.ts";

/** Matches deliveries with the requests that caused them. A webhook may come before the answer. */
export class Deliveries {
  readonly #clock: Pick<LoadClock, "now">;
  readonly #onSample: (sample: Sample) => void;
  readonly #awaited = new Map<string, number>();
  readonly #arrived = new Set<string>();
  #repeated = 0;

  constructor(clock: Pick<LoadClock, "now">, onSample: (sample: Sample) => void) {
    this.#clock = clock;
    this.#onSample = onSample;
  }

  /** Answered, and not yet at the receiver. */
  get undelivered(): number {
    return this.#awaited.size;
  }

  /** Deliveries of a notification that had already arrived: at least once is what is promised. */
  get repeated(): number {
    return this.#repeated;
  }

  /** The request is answered. */
  expect(caused: Caused): void {
    const key = keyOf(caused);
    const answeredMs = this.#clock.now();
    if (this.#arrived.has(key)) this.#onSample(webhook(answeredMs, 0));
    else this.#awaited.set(key, answeredMs);
  }

  arrive(caused: Caused, arrivedMs: number): void {
    const key = keyOf(caused);
    if (this.#arrived.has(key)) this.#repeated += 1;
    this.#arrived.add(key);
    const answeredMs = this.#awaited.get(key);
    if (answeredMs === undefined) return;
    this.#awaited.delete(key);
    this.#onSample(webhook(answeredMs, Math.max(0, arrivedMs - answeredMs)));
  }

  /** Counts what has not arrived as failed. Returns how many. */
  giveUp(): number {
    const count = this.#awaited.size;
    for (const answeredMs of this.#awaited.values()) {
      const latencyMs = this.#clock.now() - answeredMs;
      this.#onSample({ ...webhook(answeredMs, latencyMs), error: "not delivered" });
    }
    this.#awaited.clear();
    return count;
  }
}

function keyOf({ cardId, result, amount }: Caused): string {
  return `${cardId} ${result} ${amount}`;
}

function webhook(intendedMs: number, latencyMs: number): Sample {
  return { kind: "webhook", intendedMs, latencyMs };
}

/**
 * Registers an endpoint for holds and settlements, and listens there. With `decideMs`, it also
 * decides on authorizations.
 */
export async function receive(
  { receivers }: Connection,
  client: Client,
  clock: Pick<LoadClock, "now">,
  deliveries: Deliveries,
  decideMs: number | undefined,
): Promise<{ stop(): Promise<void> }> {
  const origin = receivers.find((one) => one.startsWith("http://127.0.0.1:"));
  if (origin === undefined) {
    const names = receivers.join(", ") || "none";
    throw new Error(
      `No receiver at http://127.0.0.1 is allowed; LOCAL_RECEIVERS of npm start names ${names}.`,
    );
  }
  const receiver = await startReceiver(undefined, Number(new URL(origin).port)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") throw error;
      throw new Error(`${origin} is in use; LOCAL_RECEIVERS of npm start names another receiver.`);
    },
  );
  const offsetMs = clock.now() - performance.now();
  const decide = slowDecider(decideMs ?? 0);
  receiver.behave((received, response) => {
    if (received.path === decisionPath) return decide(response);
    response.writeHead(204).end();
    deliveries.arrive(causeOf(received), received.arrivedMs + offsetMs);
  });
  const url = `${origin}/load`;
  try {
    // An interrupted run leaves its endpoint.
    await removeEndpoints(client, url);
    const body = { url, eventTypes: [EventType.hold, EventType.settlement] };
    await unwrap(client.POST("/webhooks", { body }));
    if (decideMs !== undefined) await registerDecisions(client, origin + decisionPath);
  } catch (error) {
    await receiver.stop();
    throw error;
  }
  return {
    stop: async () => {
      if (decideMs !== undefined) await unwrap(client.DELETE("/authorization-endpoint"));
      await removeEndpoints(client, url).finally(() => receiver.stop());
    },
  };
}

const decisionPath = "/decisions";

/** What is not decided in time is approved, so that clearings and webhooks follow. */
async function registerDecisions(client: Client, url: string): Promise<void> {
  const standIn = { timeout: "approve", connectionError: "approve", badAnswer: "decline" } as const;
  await unwrap(client.PUT("/authorization-endpoint", { body: { url, deadlineMs, standIn } }));
}

/** Approves after a time, and leaves every fourth question without an answer. */
function slowDecider(afterMs: number) {
  let asked = 0;
  return (response: ServerResponse) => {
    asked += 1;
    if (asked % 4 > 0) setTimeout(() => response.end('{"decision":"approve"}'), afterMs);
  };
}

async function removeEndpoints(client: Client, url: string): Promise<void> {
  for await (const endpoint of pages(client, "/webhooks", {})) {
    const params = { path: { webhookId: endpoint.webhookId } };
    if (endpoint.url === url) await unwrap(client.DELETE("/webhooks/{webhookId}", { params }));
  }
}

function causeOf({ body }: Received): Caused {
  const { CardId, TransResult, TransAmount } = JSON.parse(body.toString());
  return { cardId: CardId, result: TransResult, amount: TransAmount };
}
