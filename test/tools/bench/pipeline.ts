import { setTimeout as delay } from "node:timers/promises";
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { RelayedEvent } from "../../../shared/contract/outbox.ts";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { StoredEvent } from "../../../shared/platform/outbox/carried-event.ts";
import { eventPut } from "../../../shared/platform/outbox/outbox-put.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Receiver } from "../../harness/receiver.ts";
import { makeBareLoop } from "./bare-loop.ts";
import { amountOf, nextAmount } from "./hold-amounts.ts";
import type { LiveCard, LivePlatform } from "./live-platform.ts";
import { median, percentile, progress, type Row } from "./report.ts";

export const columns = ["", "pipeline", "bare loop", "ratio"];

/** V8 optimizes a dozen threads' code during the first rounds, which are not counted. */
const warmUps = 3;
const holdsInARound = 40;
/** Of 400 holds, the four slowest would decide the p99. */
const rounds = 25;
const patienceMs = 30_000;

/** From the hold to the receiver's first byte: the pipeline and a bare loop in turns. */
export async function hopTimes(card: LiveCard, receiver: Receiver): Promise<Row[]> {
  const url = `${receiver.origin}/holds`;
  const webhookId = await card.register(url);
  const times = { pipeline: [] as number[], bare: [] as number[] };
  for (let round = 1 - warmUps; round <= rounds; round += 1) {
    progress(round < 1 ? "holds, not counted" : `holds ${round} of ${rounds}`);
    await proveEndpoint(card, receiver);
    const pipeline = await measureHolds(card, receiver, holdsInARound);
    await card.change(webhookId, url, false);
    const loop = await makeBareLoop(environment.issuingTable);
    loop.start((item) => {
      const body = parseNotification(item)?.body;
      return body === undefined ? undefined : { url, body };
    });
    const bare = await measureHolds(card, receiver, holdsInARound);
    await loop.stop();
    await card.change(webhookId, url, true);
    if (round < 1) continue;
    times.pipeline.push(...pipeline);
    times.bare.push(...bare);
  }
  await card.remove(webhookId);
  return [50, 99].map((percent) => {
    const [pipeline, bare] = [percentile(times.pipeline, percent), percentile(times.bare, percent)];
    const ratio = (pipeline / bare).toFixed(2);
    return { cells: [`p${percent} ms`, pipeline.toFixed(1), bare.toFixed(1), ratio] };
  });
}

/** An endpoint that was switched on counts as new: it gets few deliveries until it has answered. */
async function proveEndpoint(card: LiveCard, receiver: Receiver): Promise<void> {
  await measureHolds(card, receiver, 1);
  // Its health is recorded after the answer.
  await delay(200);
}

/** Milliseconds from the commit to the first byte of each. Amounts identify them. */
async function measureHolds(card: LiveCard, receiver: Receiver, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let held = 0; held < count; held += 1) {
    // So that the pauses between polls are met at any point.
    await delay(Math.random() * 20);
    const amount = nextAmount();
    const arrival = arrivalOf(receiver, amount);
    const committedMs = await card.hold(amount);
    times.push(Math.max(0, (await arrival) - committedMs));
  }
  return times;
}

function arrivalOf(receiver: Receiver, amount: number): Promise<number> {
  const arrival = Promise.withResolvers<number>();
  receiver.behave((received, response) => {
    response.writeHead(204).end();
    if (amountOf(received) === amount) arrival.resolve(received.arrivedMs);
  });
  AbortSignal.timeout(patienceMs).addEventListener("abort", () =>
    arrival.reject(new Error(`The hold of ${amount} did not come.`)),
  );
  return arrival.promise;
}

const burst = 1_000;
const bursts = 7;

/** Events a second from the stream to the receiver, of a burst that waits in the stream. */
export async function burstRates(platform: LivePlatform, card: LiveCard, receiver: Receiver): Promise<Row[]> {
  const url = `${receiver.origin}/burst`;
  const webhookId = await card.register(url);
  const rates = { pipeline: [] as number[], bare: [] as number[], ratio: [] as number[] };
  for (let round = 1 - warmUps; round <= bursts; round += 1) {
    progress(round < 1 ? "burst, not counted" : `burst ${round} of ${bursts}`);
    await proveEndpoint(card, receiver);
    const loop = await makeBareLoop(environment.issuingTable);
    // Both begin when the whole burst is in the stream.
    await platform.suspended(() => writeBurst(card, burst));
    const startedMs = performance.now();
    const all = arrivals(receiver, "/burst", burst);
    const pipeline = burst / (((await all) - startedMs) / 1000);
    await card.change(webhookId, url, false);
    const bareAll = arrivals(receiver, "/bare", burst);
    const bareStartedMs = performance.now();
    loop.start((item) =>
      item.sk === "OUTBOX" ? { url: `${receiver.origin}/bare`, body: JSON.stringify(item) } : undefined,
    );
    const bare = burst / (((await bareAll) - bareStartedMs) / 1000);
    await loop.stop();
    await card.change(webhookId, url, true);
    if (round < 1) continue;
    rates.pipeline.push(pipeline);
    rates.bare.push(bare);
    rates.ratio.push(pipeline / bare);
  }
  await card.remove(webhookId);
  // Of each pair, because the machine's speed changes between them.
  const [pipeline, bare, ratio] = [rates.pipeline, rates.bare, rates.ratio].map(median) as [
    number,
    number,
    number,
  ];
  return [{ cells: ["events/s", pipeline.toFixed(0), bare.toFixed(0), ratio.toFixed(2)] }];
}

/** When the last one arrived. */
function arrivals(receiver: Receiver, path: string, count: number): Promise<number> {
  const last = Promise.withResolvers<number>();
  let arrived = 0;
  receiver.behave((received, response) => {
    response.writeHead(204).end();
    if (received.path !== path) return;
    arrived += 1;
    if (arrived === count) last.resolve(received.arrivedMs);
  });
  AbortSignal.timeout(4 * patienceMs).addEventListener("abort", () =>
    last.reject(new Error(`Of ${count} events ${arrived} came.`)),
  );
  return last.promise;
}

/** Writes copies of a hold's event into the outbox as fast as possible. */
async function writeBurst({ program: { programId } }: LiveCard, count: number): Promise<void> {
  const event = await lastHold(programId);
  const items = Array.from({ length: count }, () => {
    return eventPut(programId, { ...event, eventId: newId("event") }).Put.Item;
  });
  const batches = Array.from({ length: Math.ceil(count / 25) }, (_, n) => items.slice(n * 25, (n + 1) * 25));
  const queue = batches.values();
  const lane = async () => {
    for (const batch of queue) {
      const requests = batch.map((Item) => ({ PutRequest: { Item } }));
      await table.send(new BatchWriteCommand({ RequestItems: { [environment.issuingTable]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
}

let hold: RelayedEvent | undefined;

async function lastHold(programId: string): Promise<RelayedEvent> {
  if (hold) return hold;
  for await (const { Items = [] } of paginateScan(
    { client: table },
    { TableName: environment.issuingTable },
  )) {
    const events = Items.flatMap((item) => StoredEvent.safeParse(item).data ?? []);
    hold ??= events.find(
      (event) => event.kind === "hold.placed" && "programId" in event && event.programId === programId,
    );
  }
  if (!hold) throw new Error("There is no hold.");
  return hold;
}
