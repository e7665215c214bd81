import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cleanUp, interrupted } from "../../../infra/command-line/clean-up.ts";
import { sources } from "../../../infra/commands/dead-letters/sources.ts";
import { findTarget } from "../../../infra/commands/dead-letters/target.ts";
import { redrive } from "../../../infra/commands/dead-letters.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import type { Random } from "../../harness/random.ts";
import { endRunning, startedPlatform } from "../../system/platform-process.ts";
import { auditBooks, compare, countRecords, expectedRecords, issueCards, withClient } from "./cards.ts";
import { type Customer, givenCustomer, registerEndpoints } from "./customer.ts";
import { type FlakyReceiver, startFlakyReceiver } from "./flaky-receiver.ts";
import { startKilling } from "./killing.ts";
import { networkEvents, type Totals } from "./network-events.ts";
import { inBatches, sendEvents } from "./network-queue.ts";

export interface DeliveryRunOptions {
  readonly events: number;
  readonly random: Random;
  say(line: string): void;
}

const fundingMinor = 100_000_000;
const cardCount = 5;
const functions = [
  "processor-events",
  "outbox-relay",
  "webhook-fanout",
  "callback-delivery",
  "alert-delivery",
  "deadlines",
];
/** More rounds than the longest chain of retries needs, with what a kill costs it. */
const mostRounds = 150;

/**
 * Sends card events (one in five twice), challenges and certificate reminders, while the receiver
 * fails and functions are killed at random. All must arrive.
 * @throws AssertionError where something was lost, or came in other bytes than were stored.
 */
export async function deliveryRun({ events, random, say }: DeliveryRunOptions): Promise<void> {
  await using cleaning = cleanUp();
  const directory = mkdtempSync(join(tmpdir(), "delivery-"));
  let isProven = false;
  cleaning.defer(() => {
    if (isProven || interrupted.aborted) rmSync(directory, { recursive: true, force: true });
    else say(`What the platform has left, its logs too, is in ${directory}`);
  });
  const receiver = await startFlakyReceiver(random);
  cleaning.defer(() => receiver.stop());
  cleaning.defer(endRunning);
  const platform = await startedPlatform(directory, { LOCAL_RECEIVERS: receiver.origin });
  const connection = platform.connection();
  await withClient(platform, async (client) => {
    const endpoints = await registerEndpoints(client, receiver);
    const cards = await issueCards(client, cardCount, fundingMinor);
    const customer = await givenCustomer(client, connection, receiver, endpoints, cards.cardIds);
    const killing = startKilling(connection, functions, random);
    try {
      const totals = await sendAll(connection, cards, { events, random, say });
      const missing = async () => {
        const unapplied = expectedRecords(totals) - (await countRecords(client, connection, totals));
        return [...(unapplied > 0 ? [`${unapplied} postings`] : []), ...(await customer.missing())];
      };
      await settle(connection, { missing, recover: customer.recover }, { directory, say });
      await compare(client, connection, totals);
    } finally {
      await killing.stop();
      report(receiver, killing.kills, say);
    }
    await auditBooks(directory);
    for (const [name, count] of killing.kills) {
      ok(count > 0, `${name} was never killed: the run proves nothing of it.`);
    }
  });
  isProven = true;
}

async function sendAll(
  connection: Connection,
  cards: Awaited<ReturnType<typeof issueCards>>,
  { events: count, random, say }: DeliveryRunOptions,
): Promise<Totals> {
  const { programId } = connection;
  const { events, totals } = networkEvents({ programId, ...cards, count, fundingMinor, random });
  const sendings = random.shuffle([...events, ...events.filter(() => random.chance(0.2))]);
  for (const batch of inBatches(sendings)) {
    await sendEvents(connection, batch);
    await delay(random.fraction() * 500);
  }
  say(`${sendings.length} messages are sent; waiting until all of it has arrived`);
  return totals;
}

/**
 * Moves the clock until nothing is missing: retries are due, killed messages visible again. After
 * five killed runs a message is a dead letter, which the run redrives.
 */
async function settle(
  { controlUrl }: Connection,
  customer: Customer,
  { directory, say }: { directory: string; say(line: string): void },
) {
  for (let round = 1; round <= mostRounds; round += 1) {
    await customer.recover();
    const missing = await customer.missing();
    if (missing.length === 0) return;
    if (round % 10 === 0) say(`After ${round} rounds ${missing.length} are under way`);
    if (round % 5 === 0) await putBack(directory, say);
    const advance = missing.some((one) => one.includes("/otp/")) ? "10m" : "30m";
    const body = JSON.stringify({ advance });
    const response = await fetch(`${controlUrl}/clock`, { method: "POST", body });
    // Unfinished if the receiver lets senders wait: the next round continues.
    ok(response.ok || response.status === 503, `The clock answered ${response.status}.`);
    await response.body?.cancel();
  }
  deepStrictEqual(await customer.missing(), []);
}

/** What the runbook says: `npm run operator -- dead-letters redrive`. */
async function putBack(directory: string, say: (line: string) => void): Promise<void> {
  process.env.LOCAL_DIR = directory;
  const target = await findTarget("local");
  for (const source of sources) {
    const count = await redrive(target, source, { writeAudit: async () => undefined });
    if (count > 0) say(`${count} dead letters of ${source} are put back`);
  }
  for (const client of [target.sqs, target.lambda, target.streams]) client.destroy();
}

function report(receiver: FlakyReceiver, kills: ReadonlyMap<string, number>, say: (line: string) => void) {
  const told = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([name, count]) => `${name} ${count}`).join(", ");
  say(`Killed in the midst of a run: ${told(kills)}`);
  say(`Answered: ${told(receiver.answers)}`);
}
