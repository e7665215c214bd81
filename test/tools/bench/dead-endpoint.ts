import { handler as deliver } from "../../../functions/callback-delivery/handler.ts";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { moveDate } from "../../../infra/local/moved-date.ts";
import type { DeliveryOf } from "../../../shared/notifications/delivery/delivery.ts";
import { endpoints } from "../../../shared/notifications/delivery/endpoint.ts";

type DeliveryMessage = DeliveryOf<"notification">;

import { notificationPut } from "../../../shared/notifications/notification.ts";
import { requireNotification } from "../../../shared/notifications/stored-notification.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { batchOf, givenWebhooks } from "../../harness/given-webhooks.ts";
import { startQueueRecorder } from "../../harness/queue-recorder.ts";
import { startReceiver } from "../../harness/receiver.ts";
import { storedEvents, storedItem } from "../../harness/stored.ts";
import { progress, type Row } from "./report.ts";

export const columns = ["time", "messages read", "sends", "put back", "read units", "write units", "units/h"];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const stepMs = 5_000;
const disabledAfterMs = 5 * dayMs;
const lateLimitMs = 30 * minuteMs;
/** A Program stays in use: there is another notification so often. */
const newEveryMs = 15 * minuteMs;
/** Runs of the function at a time, and the messages that each takes. */
const runs = 8;
const batchSize = 10;

/** Concurrent sends when it dies, then probes: in the end one every quarter of an hour. */
const sendLimit = 600 + runs * batchSize;
/** For each notification, however many they are. */
const readLimit = 150;
const writeLimit = 90;

const offset = new SharedArrayBuffer(8);
const offsetMs = new BigInt64Array(offset);
let realNow = Date.now;

interface Waiting {
  readonly queue: string;
  readonly body: DeliveryMessage;
}

/** Messages read, sends, messages put back, read units, write units. */
type Work = [number, number, number, number, number];

/**
 * The cost of a dead endpoint until it is disabled, with `count` notifications. Handlers and store
 * are real, time is simulated. Once failing, the receiver hangs up, which saves 10 s a probe.
 */
export async function costsOfDeadEndpoint(count: number): Promise<Row[]> {
  const queues = await startQueueRecorder();
  const receiver = await startReceiver();
  Object.assign(process.env, { DNS_SERVERS: "127.0.0.1:9", ALLOWED_RECEIVERS: receiver.origin });
  const given = await givenWebhooks(queues);
  const url = `${receiver.origin}/`;
  const { webhookId } = await given.register({ url, eventTypes: [1, 2, 3, 4] });
  await given.notify();
  await given.fanOut();
  const proof = (await given.deliver("slow")).taken[0]?.body as DeliveryMessage;
  let isKnown = false;
  receiver.behave((_, response) => isKnown && response.destroy());

  realNow = Date.now.bind(Date);
  moveDate(offset);
  const start = Math.ceil((realNow() + minuteMs) / hourMs) * hourMs;
  setTime(start);
  const waiting = new Map<number, Waiting[]>();
  const wait = (one: Waiting, at: number) => {
    const step = Math.ceil(at / stepMs) * stepMs;
    const others = waiting.get(step) ?? [];
    others.push(one);
    waiting.set(step, others);
  };
  for (const body of await copiesOf(proof, count)) wait({ queue: "callbacks", body }, start);

  const works = new Map<string, Work>();
  const usage = watchTable();
  const measured = async (at: number, messages: number, work: () => Promise<unknown>) => {
    const before = [0, receiver.received.length, 0, usage.readUnits, usage.writeUnits] as const;
    await work();
    const sent = queues.sent.splice(0);
    const putBack = sent.filter(({ queue }) => queue === "slow");
    for (const { queue, body, delaySeconds = 0 } of putBack)
      wait({ queue, body }, Math.max(Date.now(), at + 1) + delaySeconds * 1000);
    const after = [messages, receiver.received.length, putBack.length, usage.readUnits, usage.writeUnits];
    const sum = works.get(spanOf(at - start)) ?? [0, 0, 0, 0, 0];
    works.set(
      spanOf(at - start),
      sum.map((value, index) => value + (after[index] ?? 0) - (before[index] ?? 0)) as Work,
    );
  };

  let made = count;
  let at = start;
  for (let isActive = true; isActive; at += stepMs) {
    const since = at - start;
    const ended = spanOf(since - stepMs);
    if (since > 0 && ended !== spanOf(since)) sayEnd(ended, works.get(ended));
    if (since > disabledAfterMs + hourMs) throw new Error("The endpoint is still on after five days.");
    // Work that took longer than a step goes into those that follow.
    setTime(Math.max(at, Date.now()));
    if (since > 0 && since % newEveryMs === 0) {
      progress(`${(since / hourMs).toFixed(2)} h: ${works.get(spanOf(since))?.[0] ?? 0} messages`);
      for (const body of await copiesOf(proof, 1)) wait({ queue: "callbacks", body }, at);
      made += 1;
    }
    if (usage.dueMinutes.delete(at)) await measured(at, 0, () => sweep(() => true));
    const due = waiting.get(at) ?? [];
    waiting.delete(at);
    if (due.length > 0) await measured(at, due.length, () => deliverAll(due));
    isKnown = true;
    if (since >= disabledAfterMs && due.length > 0) {
      isActive = (await storedItem(endpoints.key(given.programId, webhookId)))?.active === true;
    }
  }
  usage.stop();
  const told = (await storedEvents(given.programId)).filter(({ kind }) => kind === "webhook.disabled");
  await Promise.all([queues.stop(), receiver.stop()]);
  return rowsOf(works, made, at - stepMs - start - disabledAfterMs, told.length);
}

function setTime(at: number): void {
  offsetMs[0] = BigInt(Math.round(at - realNow()));
}

/** The same notification under other ids, as deliveries of their own. */
async function copiesOf(message: DeliveryMessage, count: number): Promise<DeliveryMessage[]> {
  const { programId, messageId } = message;
  const notification = await requireNotification(programId, messageId);
  const ids = Array.from({ length: count }, () => newId("notification"));
  await writeBatch(
    ids.map((transIdSc) => ({ put: notificationPut({ ...notification, transIdSc }).Put.Item })),
  );
  return ids.map((id) => ({ ...message, messageId: id, deliveryId: newId("event") }));
}

/** Has the function take all that is due, a few runs at a time. */
async function deliverAll(due: readonly Waiting[]): Promise<void> {
  const batches = ["callbacks", "slow"].flatMap((queue) => {
    const bodies = due.filter((one) => one.queue === queue).map(({ body }) => body);
    return Array.from({ length: Math.ceil(bodies.length / batchSize) }, (_, index) =>
      batchOf(queue, bodies.slice(index * batchSize, (index + 1) * batchSize)),
    );
  });
  const run = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const { batchItemFailures } = await deliver(batch);
      if (batchItemFailures.length > 0) throw new Error("A delivery failed.");
    }
  };
  await Promise.all(Array.from({ length: runs }, run));
}

/** Sums the table's charges and records when deadlines are due: other sweeps find nothing. */
function watchTable() {
  const name = "dead-endpoint";
  const usage = {
    readUnits: 0,
    writeUnits: 0,
    dueMinutes: new Set<number>(),
    stop: () => table.middlewareStack.remove(name),
  };
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
      const { ConsumedCapacity = [] } = answer.output as { ConsumedCapacity?: object | object[] };
      const units = [ConsumedCapacity].flat() as { CapacityUnits?: number }[];
      const sum = units.reduce((total, { CapacityUnits = 0 }) => total + CapacityUnits, 0);
      if (/^(Get|BatchGet|Query|TransactGet)/.test(String(context.commandName))) usage.readUnits += sum;
      else usage.writeUnits += sum;
      const { TransactItems = [] } = args.input as {
        TransactItems?: { Put?: { Item?: { dueAt?: string } } }[];
      };
      for (const { Put } of TransactItems) {
        const { dueAt } = Put?.Item ?? {};
        const [time] = dueAt?.split("#") ?? [];
        if (time) usage.dueMinutes.add(Math.ceil(Date.parse(time) / minuteMs) * minuteMs);
      }
      return answer;
    },
    { step: "initialize", name },
  );
  return usage;
}

/** The rows come at the end, perhaps hours later, so each span is printed when it ends. */
function sayEnd(span: string, work: Work = [0, 0, 0, 0, 0]): void {
  progress("");
  console.log(
    `${span}: ${columns
      .slice(1, 6)
      .map((name, index) => `${name} ${Math.round(work[index] ?? 0)}`)
      .join(", ")}`,
  );
}

function spanOf(sinceMs: number): string {
  if (sinceMs < hourMs) return "hour 1";
  return sinceMs < dayMs ? "hours 2 to 24" : `day ${Math.floor(sinceMs / dayMs) + 1}`;
}

function rowsOf(works: ReadonlyMap<string, Work>, made: number, lateMs: number, told: number): Row[] {
  const hours = (span: string) => (span === "hour 1" ? 1 : span.startsWith("hours") ? 23 : 24);
  const rows: Row[] = [...works].map(([span, work]) => ({
    cells: [span, ...work.map(Math.round), Math.round((work[3] + work[4]) / hours(span))],
  }));
  const all = [...works.values()].reduce(
    (sum, work) => sum.map((value, index) => value + (work[index] ?? 0)) as Work,
  );
  const [, sends, , reads, writes] = all;
  const each = all.map((value) => (value / made).toFixed(1));
  const broken = [
    ...(sends > sendLimit ? [`${sends} sends to a dead endpoint, not ${sendLimit}.`] : []),
    ...(reads / made > readLimit
      ? [`A waiting notification costs ${each[3]} read units, not ${readLimit}.`]
      : []),
    ...(writes / made > writeLimit
      ? [`A waiting notification costs ${each[4]} write units, not ${writeLimit}.`]
      : []),
    ...(lateMs > lateLimitMs ? [`The endpoint was switched off ${lateMs / minuteMs} min late.`] : []),
    ...(told === 1 ? [] : [`The Tenant was told ${told} times.`]),
  ];
  return [
    ...rows,
    { cells: [`in all, of ${made} notifications`, ...all.map(Math.round), ""] },
    { cells: ["for each", ...each, ""] },
    {
      cells: ["limits", "", sendLimit, "", readLimit, writeLimit, ""],
      broken: broken.join(" ") || undefined,
    },
    { cells: [`off after 5 days and ${Math.round(lateMs / minuteMs)} min`, "", "", "", "", "", ""] },
  ];
}
