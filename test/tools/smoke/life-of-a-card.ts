import { type Client, pages, unwrap } from "../../../client/src/card-issuing.ts";
import type { Checks } from "./checks.ts";
import type { Deployment } from "./deployment.ts";

/** From Cardholder to closing, to the cent. Leaves a deleted Cardholder and a funded Wallet. */
export async function checkLifeOfACard(deployment: Deployment, checks: Checks): Promise<void> {
  const client = deployment.client();
  try {
    const cardholderId = await approvedCardholder(client);
    checks.same("a Cardholder is approved", cardholderId.startsWith("chd_"), true);
    const cardId = await issuedCard(client, cardholderId);
    checks.same("a Card is issued", cardId.startsWith("crd_"), true);
    const walletId = await fundedWallet(client);
    await use(client, checks, walletId, cardId);
    await end(client, checks, { walletId, cardId, cardholderId });
  } finally {
    await client.close();
  }
}

async function approvedCardholder(client: Client): Promise<string> {
  const body = {
    firstName: "Smoke",
    lastName: "Test",
    dateOfBirth: "1990-12-10",
    gender: 2,
    email: "smoke@example.com",
    phone: "+442079460000",
    address: { line1: "1 Test Street", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
  } as const;
  const { data } = await unwrap(client.POST("/cardholders", { body }));
  const params = { path: { cardholderId: data.cardholderId } };
  await unwrap(client.POST("/cardholders/{cardholderId}/submit", { params }));
  const approve = { params, body: { status: 1 } } as const;
  await unwrap(client.POST("/sandbox/cardholders/{cardholderId}/kyc-outcome", approve));
  return data.cardholderId;
}

async function issuedCard(client: Client, cardholderId: string): Promise<string> {
  const { data } = await unwrap(client.POST("/cards", { body: { cardholderId, cardForm: 0, cardType: 0 } }));
  if (data.cardStatus === 0) {
    const params = { path: { cardId: data.cardId } };
    await unwrap(client.POST("/sandbox/cards/{cardId}/approval", { params, body: { cardStatus: 1 } }));
  }
  return data.cardId;
}

async function fundedWallet(client: Client): Promise<string> {
  const { data } = await unwrap(client.POST("/wallets", { body: { name: "Smoke test" } }));
  const params = { path: { walletId: data.walletId } };
  const deposit = await unwrap(
    client.POST("/wallets/{walletId}/bank-deposit", { params, body: { amount: 10_000 } }),
  );
  if (deposit.data.transStatus === 0) {
    const clear = { params: { path: { depositId: deposit.data.depositId } } };
    await unwrap(client.POST("/sandbox/deposits/{depositId}/clear", clear));
  }
  return data.walletId;
}

async function use(client: Client, checks: Checks, walletId: string, cardId: string): Promise<void> {
  const order = {
    sourceWalletId: walletId,
    destinationType: 1,
    destinationId: cardId,
    amount: 6_000,
  } as const;
  const keyed = { params: { header: { "Idempotency-Key": `smoke-${cardId}` } }, body: order };
  const first = await unwrap(client.POST("/wallets/transfer", keyed));
  const again = await unwrap(client.POST("/wallets/transfer", keyed));
  checks.same("the same transfer twice moves once", again.data.transferId, first.data.transferId);
  checks.same("the money is on the Card", await balances(client, cardId), [6_000, 6_000]);

  const params = { path: { cardId } };
  const merchant = { merchantName: "Smoke & Sons", mcc: "5411" };
  const hold = await unwrap(
    client.POST("/sandbox/cards/{cardId}/authorizations", { params, body: { amount: 2_500, ...merchant } }),
  );
  checks.same("an authorization is approved", hold.data.approved, true);
  checks.same("and held", await balances(client, cardId), [3_500, 6_000]);
  const { authorizationId } = hold.data;
  await unwrap(
    client.POST("/sandbox/authorizations/{authorizationId}/clear", {
      params: { path: { authorizationId } },
      body: { amount: 2_400 },
    }),
  );
  checks.same("it is settled for less", await balances(client, cardId), [3_600, 3_600]);
  const declined = await unwrap(
    client.POST("/sandbox/cards/{cardId}/authorizations", { params, body: { amount: 3_601 } }),
  );
  checks.same("a cent too much is declined", declined.data.approved, false);

  const listed = [];
  for await (const one of pages(client, "/cards/transactions", { query: { cardId, limit: 1 } }))
    listed.push(one);
  checks.same(
    "the statement has the load and the purchase",
    listed.map(({ transType }) => transType),
    [3, 80],
  );
  const proof = await unwrap(client.GET("/cards/{cardId}/balance/proof", { params }));
  checks.same(
    "every identity of its balances holds",
    proof.data.identities.filter(({ holds }) => !holds),
    [],
  );
}

async function end(
  client: Client,
  checks: Checks,
  { walletId, cardId, cardholderId }: Record<"walletId" | "cardId" | "cardholderId", string>,
): Promise<void> {
  const params = { path: { cardId } };
  const close = { params, body: { sweepToWalletId: walletId } };
  const { data } = await unwrap(client.POST("/cards/{cardId}/close", close));
  checks.same("the Card is closed", data.issuerCardStatus, 3);
  const wallet = await unwrap(client.GET("/wallets/{walletId}", { params: { path: { walletId } } }));
  checks.same("and its money is back in the Wallet", wallet.data.availableBalance, 7_600);
  await unwrap(client.DELETE("/cardholders/{cardholderId}", { params: { path: { cardholderId } } }));
}

async function balances(client: Client, cardId: string): Promise<number[]> {
  const { data } = await unwrap(client.GET("/cards/{cardId}/balance", { params: { path: { cardId } } }));
  return [data.availableBalance, data.ledgerBalance];
}
