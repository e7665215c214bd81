import { type Client, unwrap } from "../../../client/src/card-issuing.ts";

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

const person = {
  firstName: "Grace",
  lastName: "Hopper",
  dateOfBirth: "1990-12-09",
  gender: 1,
  email: "grace@example.com",
  phone: "+442079460001",
  address: { line1: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
} as const;

/** Creates Wallets with money, and Cards with money for approved Cardholders. */
export async function populate(client: Client): Promise<Population> {
  const cardIds: string[] = [];
  const walletIds: string[] = [];
  // One Cardholder after the other: the load has not begun.
  for (let number = 0; number < cardholders; number += 1) {
    const cardholderId = await approveCardholder(client);
    const issued = Array.from({ length: cardsEach }, () => issueCard(client, cardholderId));
    cardIds.push(...(await Promise.all(issued)));
  }
  for (let number = 0; number < wallets; number += 1) walletIds.push(await fundWallet(client, number));
  return { cardIds, walletIds };
}

async function approveCardholder(client: Client): Promise<string> {
  const { data } = await unwrap(client.POST("/cardholders", { body: person }));
  const params = { path: { cardholderId: data.cardholderId } };
  await unwrap(client.POST("/cardholders/{cardholderId}/submit", { params }));
  const body = { status: 1 } as const;
  await unwrap(client.POST("/sandbox/cardholders/{cardholderId}/kyc-outcome", { params, body }));
  return data.cardholderId;
}

async function issueCard(client: Client, cardholderId: string): Promise<string> {
  const { data } = await unwrap(
    client.POST("/cards", { body: { cardholderId, cardForm: 0, cardType: 0 } as const }),
  );
  const params = { path: { cardId: data.cardId } };
  const body = { amount: wealth, pending: false };
  await unwrap(client.POST("/sandbox/cards/{cardId}/deposits", { params, body }));
  return data.cardId;
}

async function fundWallet(client: Client, number: number): Promise<string> {
  const { data } = await unwrap(client.POST("/wallets", { body: { name: `Load ${number}` } }));
  const params = { path: { walletId: data.walletId } };
  const body = { amount: wealth, pending: false };
  await unwrap(client.POST("/sandbox/wallets/{walletId}/deposits", { params, body }));
  return data.walletId;
}
