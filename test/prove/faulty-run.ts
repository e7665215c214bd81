import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Connection } from "../../infra/local/connection.ts";
import { Client } from "../demo/client.ts";
import { ada } from "../harness/given-cards.ts";
import { type PlatformProcess, startedPlatform } from "../system/platform-process.ts";
import { type CardTotals, type NetworkEvent, networkEvents } from "./network-events.ts";

export interface FaultyRunOptions {
  readonly events: number;
  /** How often the whole platform is killed, workers, queues and stream with it. */
  readonly kills: number;
  /** How often the store alone is. */
  readonly engineKills: number;
  readonly random: () => number;
  say(line: string): void;
}

const fundingMinor = 100_000_000;
const cardCount = 10;
const batchSize = 10;

/**
 * Sends the events of a card network to a platform's queue, one in five of them twice, and kills the platform and its store at random points. In
 * the end every card shows what all the events come to, each applied once.
 *
 * @throws AssertionError where something was lost or doubled.
 */
export async function faultyRun({
  events,
  kills,
  engineKills,
  random,
  say,
}: FaultyRunOptions): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "faults-"));
  let platform = await startedPlatform(directory);
  try {
    const cardIds = await withClient(platform, issueCards);
    const { programId } = platform.connection();
    const { events: told, totals } = networkEvents({
      programId,
      cardIds,
      count: events,
      fundingMinor,
      random,
    });
    const sendings = shuffled([...told, ...told.filter(() => random() < 0.2)], random);
    const batches = inBatches(sendings);
    const killAfter = new Map<number, "platform" | "engine">();
    for (let n = 0; n < kills; n += 1) killAfter.set(Math.floor(random() * batches.length), "platform");
    for (let n = 0; n < engineKills; n += 1) killAfter.set(Math.floor(random() * batches.length), "engine");
    for (const [number, batch] of batches.entries()) {
      await send(platform.connection(), batch);
      const victim = killAfter.get(number);
      if (!victim) continue;
      await delay(random() * 1_000);
      say(`Killing the ${victim} after ${number * batchSize} of ${sendings.length} messages`);
      if (victim === "engine") killEngine(platform);
      else {
        await platform.end("SIGKILL");
        platform = await startedPlatform(directory);
      }
    }
    say("All is sent; waiting until it is applied");
    await withClient(platform, (client) => settle(client, platform.connection(), totals));
    await withClient(platform, (client) => compare(client, totals));
  } finally {
    await platform.end("SIGTERM");
    rmSync(directory, { recursive: true, force: true });
  }
}

async function withClient<T>(platform: PlatformProcess, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(platform.connection());
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function issueCards(client: Client): Promise<string[]> {
  const cardIds: string[] = [];
  const { cardholderId } = (await client.call("POST /cardholders", ada)).body.data;
  await client.call(`POST /cardholders/${cardholderId}/submit`, {});
  await client.call(`POST /sandbox/cardholders/${cardholderId}/kyc-outcome`, { status: 1 });
  for (let n = 0; n < cardCount; n += 1) {
    const card = await client.call("POST /cards", { cardholderId, cardForm: 0, cardType: 0 });
    const { cardId } = card.body.data;
    await client.call(`POST /cards/${cardId}/bank-deposit`, { amount: fundingMinor });
    cardIds.push(cardId);
  }
  return cardIds;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

function inBatches(events: readonly NetworkEvent[]): NetworkEvent[][] {
  return Array.from({ length: Math.ceil(events.length / batchSize) }, (_, n) =>
    events.slice(n * batchSize, (n + 1) * batchSize),
  );
}

/** As an adapter would: what is not answered as sent is sent again. */
async function send({ processorQueueUrl }: Connection, batch: readonly NetworkEvent[]): Promise<void> {
  const client = new SQSClient({
    region: "eu-west-1",
    endpoint: new URL(processorQueueUrl).origin,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const Entries = batch.map((event, n) => ({ Id: String(n), MessageBody: JSON.stringify(event) }));
  const { Failed = [] } = await client.send(
    new SendMessageBatchCommand({ QueueUrl: processorQueueUrl, Entries }),
  );
  client.destroy();
  deepStrictEqual(Failed, []);
}

/** Kills the platform's DynamoDB engine alone; whoever watches over it starts it again. */
function killEngine({ child: { pid } }: PlatformProcess): void {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" "),
  );
  const engine = children.find(
    (one) => one !== "" && readFileSync(`/proc/${one}/cmdline`, "utf8").includes("dynoxide"),
  );
  ok(engine, "The platform has no engine.");
  process.kill(Number(engine), "SIGKILL");
}

/**
 * Waits until nothing comes any more. A message whose worker was killed is invisible for minutes, which the platform's clock lets pass; far fewer
 * than a hold lives.
 */
async function settle(
  client: Client,
  { controlUrl }: Connection,
  totals: ReadonlyMap<string, CardTotals>,
): Promise<void> {
  const expected = [...totals.values()].reduce((sum, { transactions, fees }) => sum + transactions + fees, 0);
  for (let quiet = 0, last = -1; quiet < 30; ) {
    let count = 0;
    for (const cardId of totals.keys()) count += (await linesOf(client, cardId)).recorded;
    if (count >= expected && quiet > 3) return;
    quiet = count === last ? quiet + 1 : 0;
    last = count;
    if (quiet > 1) await fetch(`${controlUrl}/clock`, { method: "POST", body: '{"advance":"10m"}' });
    await delay(1_000);
  }
}

/** A busy machine may refuse a read for a moment, as where the caller's name is not found in time; what a write was answered is never tried again. */
async function read(client: Client, endpoint: `GET ${string}`) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.call(endpoint);
    } catch (error) {
      if (attempt === 20) throw error;
      await delay(500);
    }
  }
}

async function linesOf(client: Client, cardId: string) {
  const { body: lines } = await read(client, `GET /cards/transactions?cardId=${cardId}&limit=1`);
  const { body: fees } = await read(client, `GET /cards/fees?cardId=${cardId}&limit=1`);
  const aggregate = lines.items[0]?.isAggregate === true;
  const transactions = lines.total - (aggregate ? 1 : 0);
  return {
    transactions,
    fees: fees.total as number,
    held: aggregate ? (lines.items[0].amount as number) : 0,
    recorded: transactions + fees.total,
  };
}

async function compare(client: Client, totals: ReadonlyMap<string, CardTotals>): Promise<void> {
  for (const [cardId, { ledgerMinor, heldMinor, transactions, fees }] of totals) {
    const { body } = await read(client, `GET /cards/${cardId}/balance`);
    const lines = await linesOf(client, cardId);
    deepStrictEqual(
      { ...lines, ledger: body.data.ledgerBalance, available: body.data.availableBalance },
      {
        transactions,
        fees,
        held: heldMinor,
        recorded: transactions + fees,
        ledger: ledgerMinor,
        available: ledgerMinor - heldMinor,
      },
    );
    const proof = await read(client, `GET /cards/${cardId}/balance/proof`);
    const identities = proof.body.data.identities as { name: string; holds: boolean }[];
    deepStrictEqual(
      identities.filter(({ holds }) => !holds),
      [],
    );
  }
}
