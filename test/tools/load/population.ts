import type { Client } from "../../../client/src/card-issuing.ts";
import { person } from "../../harness/person.ts";
import { type Call, callsOf } from "../calls.ts";

/** What the load works on. All of it is new, so that a run does not depend on earlier ones. */
export interface Population {
  readonly cardIds: readonly string[];
  readonly walletIds: readonly string[];
}

const cardholders = 10;
const cardsEach = 5;
const wallets = 10;
/** Minor units that no run spends. */
const wealth = 100_000_000;

/** Creates Wallets with money, and Cards with money for approved Cardholders. */
export async function populate(client: Client): Promise<Population> {
  const call = callsOf(client);
  const cardIds: string[] = [];
  const walletIds: string[] = [];
  // One Cardholder after the other: the load has not begun.
  for (let number = 0; number < cardholders; number += 1) {
    const cardholderId = await approveCardholder(call);
    const issued = Array.from({ length: cardsEach }, () => issueCard(call, cardholderId));
    cardIds.push(...(await Promise.all(issued)));
  }
  for (let number = 0; number < wallets; number += 1) walletIds.push(await fundWallet(call, number));
  return { cardIds, walletIds };
}

async function approveCardholder(call: Call): Promise<string> {
  const { cardholderId } = await call("POST /cardholders", {}, person);
  await call("POST /cardholders/{cardholderId}/submit", { cardholderId });
  await call("POST /sandbox/cardholders/{cardholderId}/kyc-outcome", { cardholderId }, { status: 1 });
  return cardholderId;
}

async function issueCard(call: Call, cardholderId: string): Promise<string> {
  const { cardId } = await call("POST /cards", {}, { cardholderId, cardForm: 0, cardType: 0 });
  await call("POST /sandbox/cards/{cardId}/deposits", { cardId }, { amount: wealth, pending: false });
  return cardId;
}

async function fundWallet(call: Call, number: number): Promise<string> {
  const { walletId } = await call("POST /wallets", {}, { name: `Load ${number}` });
  await call("POST /sandbox/wallets/{walletId}/deposits", { walletId }, { amount: wealth, pending: false });
  return walletId;
}
