import { type Client, pages } from "../../../client/src/card-issuing.ts";
import { type Call, callsOf } from "../calls.ts";
import type { Checks } from "./checks.ts";
import type { Deployment } from "./deployment.ts";

/** From Cardholder to closing, to the cent. Leaves a deleted Cardholder and a funded Wallet. */
export async function checkLifeOfACard(deployment: Deployment, checks: Checks): Promise<void> {
  const client = deployment.client();
  const call = callsOf(client);
  try {
    const cardholderId = await approvedCardholder(call);
    checks.same("a Cardholder is approved", cardholderId.startsWith("chd_"), true);
    const cardId = await issuedCard(call, cardholderId);
    checks.same("a Card is issued", cardId.startsWith("crd_"), true);
    const walletId = await fundedWallet(call);
    await use(client, checks, walletId, cardId);
    await end(call, checks, { walletId, cardId, cardholderId });
  } finally {
    await client.close();
  }
}

async function approvedCardholder(call: Call): Promise<string> {
  const { cardholderId } = await call(
    "POST /cardholders",
    {},
    {
      ...{ firstName: "Smoke", lastName: "Test", dateOfBirth: "1990-12-10", gender: 2 },
      ...{ email: "smoke@example.com", phone: "+442079460000" },
      address: { line1: "1 Test Street", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
    },
  );
  await call("POST /cardholders/{cardholderId}/submit", { cardholderId });
  await call("POST /sandbox/cardholders/{cardholderId}/kyc-outcome", { cardholderId }, { status: 1 });
  return cardholderId;
}

async function issuedCard(call: Call, cardholderId: string): Promise<string> {
  const { cardId, cardStatus } = await call("POST /cards", {}, { cardholderId, cardForm: 0, cardType: 0 });
  if (cardStatus === 0) await call("POST /sandbox/cards/{cardId}/approval", { cardId }, { cardStatus: 1 });
  return cardId;
}

async function fundedWallet(call: Call): Promise<string> {
  const { walletId } = await call("POST /wallets", {}, { name: "Smoke test" });
  const deposit = await call("POST /wallets/{walletId}/bank-deposit", { walletId }, { amount: 10_000 });
  const { depositId, transStatus } = deposit;
  if (transStatus === 0) await call("POST /sandbox/deposits/{depositId}/clear", { depositId });
  return walletId;
}

async function use(client: Client, checks: Checks, walletId: string, cardId: string): Promise<void> {
  const call = callsOf(client);
  const to = { destinationType: 1, destinationId: cardId, amount: 6_000 } as const;
  const transfer = () =>
    call("POST /wallets/transfer", {}, { sourceWalletId: walletId, ...to }, `smoke-${cardId}`);
  const first = await transfer();
  checks.same("the same transfer twice moves once", (await transfer()).transferId, first.transferId);
  checks.same("the money is on the Card", await balances(call, cardId), [6_000, 6_000]);

  const authorizations = "POST /sandbox/cards/{cardId}/authorizations";
  const merchant = { merchantName: "Smoke & Sons", mcc: "5411" };
  const hold = await call(authorizations, { cardId }, { amount: 2_500, ...merchant });
  checks.same("an authorization is approved", hold.approved, true);
  checks.same("and held", await balances(call, cardId), [3_500, 6_000]);
  const { authorizationId } = hold;
  const clear = "POST /sandbox/authorizations/{authorizationId}/clear";
  await call(clear, { authorizationId }, { amount: 2_400 });
  checks.same("it is settled for less", await balances(call, cardId), [3_600, 3_600]);
  const declined = await call(authorizations, { cardId }, { amount: 3_601 });
  checks.same("a cent too much is declined", declined.approved, false);

  const listed = [];
  for await (const one of pages(client, "/cards/transactions", { query: { cardId, limit: 1 } }))
    listed.push(one.transType);
  checks.same("the statement has the load and the purchase", listed, [3, 80]);
  const { identities } = await call("GET /cards/{cardId}/balance/proof", { cardId });
  const failing = identities.filter(({ holds }) => !holds);
  checks.same("every identity of its balances holds", failing, []);
}

async function end(
  call: Call,
  checks: Checks,
  { walletId, cardId, cardholderId }: Record<"walletId" | "cardId" | "cardholderId", string>,
): Promise<void> {
  const closed = await call("POST /cards/{cardId}/close", { cardId }, { sweepToWalletId: walletId });
  checks.same("the Card is closed", closed.issuerCardStatus, 3);
  const { availableBalance } = await call("GET /wallets/{walletId}", { walletId });
  checks.same("and its money is back in the Wallet", availableBalance, 7_600);
  await call("DELETE /cardholders/{cardholderId}", { cardholderId });
}

async function balances(call: Call, cardId: string): Promise<number[]> {
  const { availableBalance, ledgerBalance } = await call("GET /cards/{cardId}/balance", { cardId });
  return [availableBalance, ledgerBalance];
}
