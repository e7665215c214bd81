import { deepStrictEqual } from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../infra/local/connection.ts";
import { ada } from "../harness/given-cards.ts";
import type { PlatformProcess } from "../system/platform-process.ts";
import { Client } from "./client.ts";
import type { CardTotals } from "./network-events.ts";

/** Calls the platform as it is now: after a kill it listens elsewhere. */
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

/** So many cards of one Cardholder, with the same deposit on each. */
export async function issueCards(client: Client, cardCount: number, fundingMinor: number): Promise<string[]> {
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

/**
 * Waits until nothing comes any more. A message whose worker was killed is invisible for minutes, which the platform's clock lets pass; far fewer
 * than a hold lives.
 */
export async function settle(
  client: Client,
  { controlUrl }: Connection,
  totals: ReadonlyMap<string, CardTotals>,
): Promise<void> {
  const expected = expectedRecords(totals);
  for (let quiet = 0, last = -1; quiet < 30; ) {
    const count = await countRecords(client, totals);
    if (count >= expected && quiet > 3) return;
    quiet = count === last ? quiet + 1 : 0;
    last = count;
    if (quiet > 1) await fetch(`${controlUrl}/clock`, { method: "POST", body: '{"advance":"10m"}' });
    await delay(1_000);
  }
}

/** How many transactions and fees all the events come to. */
export function expectedRecords(totals: ReadonlyMap<string, CardTotals>): number {
  return [...totals.values()].reduce((sum, { transactions, fees }) => sum + transactions + fees, 0);
}

/** How many there are by now. */
export async function countRecords(client: Client, totals: ReadonlyMap<string, CardTotals>): Promise<number> {
  let count = 0;
  for (const cardId of totals.keys()) count += (await linesOf(client, cardId)).recorded;
  return count;
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

/** Checks that each card shows what all its events come to, and that its books add up. */
export async function compare(client: Client, totals: ReadonlyMap<string, CardTotals>): Promise<void> {
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
