import type { Connection } from "../../../infra/development/connection.ts";
import { ada } from "../../harness/given-cards.ts";
import type { Random } from "../../harness/random.ts";
import type { Received, Receiver } from "../../harness/receiver.ts";
import { issueCards } from "../prove/cards.ts";
import { Client } from "../prove/client.ts";
import { type NetworkEvent, networkEvents } from "../prove/network-events.ts";
import { inBatches, sendEvents } from "../prove/network-queue.ts";

const cardCount = 12;
const wealth = 100_000_000;
const callers = 3;
/** A receiver that never answers keeps the recorded platform waiting, so it does so rarely. */
const silences = 2;

/** Sends about so many inputs of all kinds, from several callers at once. */
export async function sendMixedInputs(
  connection: Connection,
  receiver: Receiver,
  random: Random,
  count: number,
): Promise<void> {
  const client = new Client(connection);
  failSometimes(receiver, random);
  const { cardIds, closedCardId, shippedCardId } = await issueCards(client, cardCount, wealth);
  const walletIds = await fundWallets(client);
  for (const path of ["/one", "/two"]) {
    await client.call("POST /webhooks", { url: receiver.origin + path, eventTypes: [1, 2, 3, 4, 6] });
  }
  const { programId } = connection;
  const cards = { cardIds, closedCardId, shippedCardId };
  const events = { programId, ...cards, fundingMinor: wealth, random, count };
  const batches = inBatches(networkEvents(events).events);
  const subject = { client, connection, receiver, random, cardIds, walletIds, batches };
  let sent = 0;
  const call = async () => {
    while (sent < count) {
      sent += 1;
      await sendOne(subject);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  await client.close();
}

async function fundWallets(client: Client): Promise<string[]> {
  const walletIds: string[] = [];
  for (const name of ["Operations", "Travel", "Fees"]) {
    const { walletId } = (await client.call("POST /wallets", { name })).body.data;
    await client.call(`POST /wallets/${walletId}/bank-deposit`, { amount: wealth });
    walletIds.push(walletId);
  }
  return walletIds;
}

interface Subject {
  client: Client;
  connection: Connection;
  receiver: Receiver;
  random: Random;
  cardIds: readonly string[];
  walletIds: readonly string[];
  batches: NetworkEvent[][];
}

/** By weight. Most are cheap, so that CI replays thousands in minutes. */
const kinds: readonly (readonly [number, (subject: Subject) => Promise<unknown>])[] = [
  [400, (subject) => moveClock(subject, ["1s", "1s", "2s", "5s"])],
  [330, ({ client, cardIds, random }) => read(client, random.pick(cardIds), random)],
  [60, ({ client }) => client.call("GET /wallets", undefined, { "X-API-Key": "unknown" })],
  [40, ({ client }) => client.call("POST /wallets", { name: 7 })],
  [40, ({ client }) => client.call("GET /cards/crd_00000000000000000000000000/balance")],
  [30, authorize],
  [30, transfer],
  [20, ({ client, walletIds, random }) => client.call(`GET /wallets/${random.pick(walletIds)}/transfers`)],
  [15, ({ client, cardIds, random }) => freeze(client, random.pick(cardIds), random)],
  [10, ({ client, cardIds, random }) => client.call(`GET /cards/${random.pick(cardIds)}/balance/proof`)],
  [8, async ({ connection, batches }) => sendEvents(connection, batches.pop() ?? [])],
  [
    8,
    ({ client, random }) =>
      client.call("POST /cardholders", { ...ada, firstName: `Ada${random.below(1e6)}` }),
  ],
  [4, challenge],
  [5, (subject) => moveClock(subject, ["10m", "6h", "26h"])],
];

/** A rejected request is an input like any other. */
async function sendOne(subject: Subject): Promise<void> {
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0);
  let place = subject.random.below(total);
  const [, send] = kinds.find(([weight]) => {
    place -= weight;
    return place < 0;
  }) as (typeof kinds)[number];
  await send(subject).catch((error: Error) => {
    if (!/ answered 4\d\d/.test(error.message)) throw error;
  });
}

function read(client: Client, cardId: string, random: Random) {
  const reads = [
    `GET /cards/${cardId}`,
    `GET /cards/${cardId}/balance`,
    `GET /cards/transactions?cardId=${cardId}&limit=20`,
    `GET /cards/fees?cardId=${cardId}&limit=20`,
    "GET /cards?limit=20",
  ];
  return client.call(random.pick(reads));
}

/** Approved, cleared, or left open. */
async function authorize({ client, cardIds, random }: Subject): Promise<void> {
  const body = { amount: 1 + random.below(5_000), merchantName: `Kiosk ${random.below(50)}` };
  const { data } = (await client.call(`POST /sandbox/cards/${random.pick(cardIds)}/authorizations`, body))
    .body;
  if (random.chance(0.5)) await client.call(`POST /sandbox/authorizations/${data.authorizationId}/clear`, {});
}

function transfer({ client, cardIds, walletIds, random }: Subject) {
  const [sourceWalletId, destinationId] = [random.pick(walletIds), random.pick(cardIds)];
  const amount = 1 + random.below(5_000);
  return client.call("POST /wallets/transfer", { sourceWalletId, destinationType: 1, destinationId, amount });
}

async function freeze(client: Client, cardId: string, random: Random): Promise<void> {
  await client.call(`POST /cards/${cardId}/${random.pick(["freeze", "unfreeze"])}`, {});
}

async function challenge({ client, cardIds, random, receiver }: Subject): Promise<void> {
  const cardId = random.pick(cardIds);
  await client.call("POST /otp/listeners", { cardId, webhookUrl: `${receiver.origin}/otp` });
  const path = `POST /sandbox/cards/${cardId}/three-ds-challenges`;
  const { challengeId } = (await client.call(path, { expiresInSeconds: 86_400 })).body.data;
  await client.call(`POST /sandbox/three-ds-challenges/${challengeId}/complete`, { code: "123456" });
}

async function moveClock({ connection, random }: Subject, steps: readonly string[]): Promise<void> {
  const body = JSON.stringify({ advance: random.pick(steps) });
  await fetch(`${connection.controlUrl}/clock`, { method: "POST", body });
}

function failSometimes(receiver: Receiver, random: Random): void {
  let silent = 0;
  receiver.behave((_: Received, response, request) => {
    if (silent < silences && random.chance(0.005)) silent += 1;
    else if (random.chance(0.02)) request.socket.destroy();
    else response.writeHead(random.chance(0.05) ? 503 : 204).end();
  });
}
