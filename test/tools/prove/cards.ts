import { deepStrictEqual } from "node:assert/strict";
import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type Connection, connectionFile } from "../../../infra/development/connection.ts";
import { SuspenseStatus } from "../../../shared/contract/enums.ts";
import { ada, shippingAddress } from "../../harness/given-cards.ts";
import { operateOn } from "../../harness/given-live-program.ts";
import type { PlatformProcess } from "../../system/platform-process.ts";
import { Client } from "./client.ts";
import type { Totals } from "./network-events.ts";

/** Calls the platform at its current address, which changes with a kill. */
export async function withClient<T>(
  platform: PlatformProcess,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(platform.connection());
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/**
 * So many cards of one Cardholder, with the same deposit on each, a Closed one, and one that is to
 * be shipped.
 */
export async function issueCards(client: Client, cardCount: number, fundingMinor: number) {
  const cardIds: string[] = [];
  // The authorizer now remembers the caller's DNS name: no write fails for a slow look-up.
  await read(client, "GET /cards?limit=1");
  const { cardholderId } = (await client.call("POST /cardholders", ada)).body.data;
  await client.call(`POST /cardholders/${cardholderId}/submit`, {});
  await client.call(`POST /sandbox/cardholders/${cardholderId}/kyc-outcome`, { status: 1 });
  const issue = async (): Promise<string> =>
    (await client.call("POST /cards", { cardholderId, cardForm: 0, cardType: 0 })).body.data.cardId;
  for (let n = 0; n < cardCount; n += 1) {
    const cardId = await issue();
    await client.call(`POST /cards/${cardId}/bank-deposit`, { amount: fundingMinor });
    cardIds.push(cardId);
  }
  const closedCardId = await issue();
  await client.call(`POST /cards/${closedCardId}/close`, {});
  const physical = { cardholderId, cardForm: 1, cardType: 0, shippingAddress };
  const shippedCardId: string = (await client.call("POST /cards", physical)).body.data.cardId;
  return { cardIds, closedCardId, shippedCardId };
}

/**
 * Waits until no more arrives. Messages of killed workers stay invisible for minutes: the clock
 * moves on by less than a hold's life.
 */
export async function settle(client: Client, connection: Connection, totals: Totals): Promise<void> {
  const expected = expectedRecords(totals);
  for (let quiet = 0, last = -1; quiet < 30; ) {
    const count = await countRecords(client, connection, totals);
    if (count >= expected && quiet > 3) return;
    quiet = count === last ? quiet + 1 : 0;
    last = count;
    if (quiet > 1)
      await fetch(`${connection.controlUrl}/clock`, { method: "POST", body: '{"advance":"10m"}' });
    await delay(1_000);
  }
}

/** The expected number of transactions, fees, deposits in suspense, and the Card's delivery. */
export function expectedRecords({ cards, suspended }: Totals): number {
  return [...cards.values()].reduce(
    (sum, { transactions, fees }) => sum + transactions + fees,
    suspended.size + 1,
  );
}

/** How many there are by now. */
export async function countRecords(
  client: Client,
  connection: Connection,
  { cards, shippedCardId }: Totals,
): Promise<number> {
  const isDelivered = (await shippingOf(client, shippedCardId)) === "delivered";
  let count = (await clearedInSuspense(connection)).size + Number(isDelivered);
  for (const cardId of cards.keys()) count += (await linesOf(client, cardId)).recorded;
  return count;
}

async function shippingOf(client: Client, cardId: string): Promise<string> {
  return (await read(client, `GET /cards/${cardId}`)).body.data.shipping.status;
}

function read(client: Client, endpoint: `GET ${string}`) {
  return patiently(() => client.call(endpoint));
}

/** The deposits of the Program that are cleared in suspense, and their amounts. */
async function clearedInSuspense(connection: Connection): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let after: string | undefined; ; ) {
    const query = { programId: connection.programId, limit: 100, after };
    const { items } = await patiently(() => operateOn(connection, "list-suspense", query));
    for (const { depositId, status, amount } of items)
      if (status === SuspenseStatus.cleared) found.set(depositId, amount);
    after = items.at(-1)?.suspenseId;
    if (after === undefined) return found;
  }
}

/** Repeats reads that a busy machine rejects, such as by slow DNS. Never repeats writes. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
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

/** Checks every card and suspense against their events, and that the books add up. */
export async function compare(
  client: Client,
  connection: Connection,
  { cards, suspended, shippedCardId }: Totals,
): Promise<void> {
  deepStrictEqual(await shippingOf(client, shippedCardId), "delivered");
  deepStrictEqual(await clearedInSuspense(connection), suspended);
  for (const [cardId, { ledgerMinor, heldMinor, transactions, fees }] of cards) {
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

/** As `npm run audit` does, for the whole store of a platform that runs in the directory. */
export async function auditBooks(directory: string): Promise<void> {
  await promisify(execFile)(process.execPath, ["infra/commands/audit.ts", connectionFile(directory)]);
}
