import type { Client } from "./client.ts";
import { money, type Narrator } from "./narrator.ts";
import { receiveWebhook } from "./receiver-story.ts";

/** From nobody to a card with money on it, and what can be done with it. Amounts are minor units. */
export async function tellStory(
  client: Client,
  tell: Narrator,
  receivers: readonly string[] = [],
): Promise<void> {
  const cardholderId = await approveCardholder(client, tell);
  const cardId = await issueCard(client, tell, cardholderId);
  const walletId = await fundWallet(client, tell, cardId);
  await transfer(client, tell, walletId, cardId);
  await receiveDigitalAssets(client, tell, cardId);
  await pay(client, tell, cardId);
  await receiveWebhook(client, tell, cardId, receivers);
  await authenticate(client, tell, cardId);
  await look(client, tell, cardId, walletId);
}

async function approveCardholder(client: Client, tell: Narrator): Promise<string> {
  const created = await client.call("POST /cardholders", {
    firstName: "Ada",
    lastName: "Lovelace",
    dateOfBirth: "1990-12-10",
    gender: 1,
    email: "ada@example.com",
    phone: "+442079460000",
    address: { line1: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
  });
  const { cardholderId, status } = created.body.data;
  tell.step("A Cardholder is created", `${cardholderId}, status ${status} Draft`);
  const submitted = await client.call(`POST /cardholders/${cardholderId}/submit`);
  tell.step(
    "and submitted for compliance review",
    `status ${submitted.body.data.status} Under Review, to be continued at ${submitted.body.data.kycUrl}`,
  );
  const decided = await client.call(`POST /sandbox/cardholders/${cardholderId}/kyc-outcome`, { status: 1 });
  tell.step("The compliance provider approves", `status ${decided.body.data.status} Approved`);
  return cardholderId;
}

async function issueCard(client: Client, tell: Narrator, cardholderId: string): Promise<string> {
  const { body } = await client.call("POST /cards", { cardholderId, cardForm: 0, cardType: 0 });
  const { cardId, maskedCardNumber, issuerCardStatus, cryptoAddresses } = body.data;
  tell.step(
    "A virtual Card is issued",
    `${cardId}, ${maskedCardNumber}, status ${issuerCardStatus} Active, deposit addresses:`,
    ...cryptoAddresses.map(({ chain, address }: Record<string, string>) => `${chain?.padEnd(8)} ${address}`),
  );
  return cardId;
}

async function fundWallet(client: Client, tell: Narrator, cardId: string): Promise<string> {
  const created = await client.call("POST /wallets", { name: "Demo" });
  const { walletId } = created.body.data;
  tell.follow(
    { name: "Wallet", path: `/wallets/${walletId}` },
    { name: "Card", path: `/cards/${cardId}/balance` },
  );
  const { body } = await client.call(`POST /wallets/${walletId}/bank-deposit`, {
    amount: 50_000,
    reference: "Demo",
  });
  tell.step(
    `${money(50_000).trim()} come into a new Wallet from a bank`,
    `${body.data.depositId}, cleared at once`,
  );
  await tell.balances();
  return walletId;
}

async function transfer(
  client: Client,
  tell: Narrator,
  sourceWalletId: string,
  destinationId: string,
): Promise<void> {
  const order = { sourceWalletId, destinationType: 1, destinationId };
  const key = { "Idempotency-Key": `demo-${destinationId}` };
  const first = await client.call("POST /wallets/transfer", { ...order, amount: 20_000 }, key);
  tell.step("200.00 USD go from the Wallet to the Card", outcome(first.body.data));
  await tell.balances();

  const again = await client.call("POST /wallets/transfer", { ...order, amount: 20_000 }, key);
  tell.step(
    "The same request with the same Idempotency-Key moves nothing more",
    `${again.body.data.transferId === first.body.data.transferId ? "the first answer again" : "another transfer!"}`,
  );
  await tell.balances();

  const declined = await client.call("POST /wallets/transfer", { ...order, amount: 90_000 });
  tell.step("900.00 USD are more than there is: declined", outcome(declined.body.data));
  await tell.balances();

  const partial = await client.call("POST /wallets/transfer", {
    ...order,
    amount: 90_000,
    allowPartial: true,
  });
  tell.step("The same, but a part will do", outcome(partial.body.data));
  await tell.balances();
}

function outcome(transfer: Record<string, unknown>): string {
  const names = ["Pending", "Approved", "Declined", "Partial", "Error"];
  const { transferId, transStatus, transferredAmount, declineReason } = transfer;
  const reason = declineReason ? ` (${declineReason})` : "";
  return `${transferId}, ${names[Number(transStatus)]}${reason}: ${money(Number(transferredAmount)).trim()} moved`;
}

async function receiveDigitalAssets(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const { body } = await client.call(`POST /sandbox/cards/${cardId}/deposits`, {
    amount: 7_500,
    chain: "bitcoin",
    asset: "BTC",
  });
  const { depositId } = body.data;
  tell.step("Digital assets worth 75.00 USD arrive on the Card, not yet confirmed", `${depositId}, pending`);
  await tell.balances();
  await client.call(`POST /sandbox/deposits/${depositId}/clear`);
  tell.step("The deposit clears");
  await tell.balances();
}

async function pay(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const authorized = await client.call(`POST /sandbox/cards/${cardId}/authorizations`, {
    amount: 3_000,
    merchantName: "Corner Shop",
    mcc: "5411",
  });
  const { authorizationId } = authorized.body.data;
  tell.step("A shop asks for 30.00 USD: approved, and held", authorizationId);
  await tell.balances();
  const cleared = await client.call(`POST /sandbox/authorizations/${authorizationId}/clear`, {
    amount: 3_150,
  });
  tell.step("It settles for 31.50 USD: the hold goes, the money too", cleared.body.data.transId);
  await tell.balances();
  const fee = await client.call(`POST /sandbox/cards/${cardId}/fees`, { feeType: 2, amount: 100 });
  tell.step("A maintenance fee of 1.00 USD is charged", fee.body.data.feeId);
  await tell.balances();
}

async function authenticate(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const { body } = await client.call("POST /otp/listeners", { cardId });
  const { token } = body.data;
  const before = await client.call(`GET /otp/${token}`);
  tell.step("The Card's one-time passcodes are subscribed to", `status ${before.body.data.status}`);
  const challenge = await client.call(`POST /sandbox/cards/${cardId}/three-ds-challenges`, { amount: 9_900 });
  const { challengeId } = challenge.body.data;
  const received = await client.call(`GET /otp/${token}`);
  const { status, code, expiresAt } = received.body.data;
  tell.step("A web shop asks for one", `status ${status}, code ${code}, until ${expiresAt}`);
  await client.call(`POST /sandbox/three-ds-challenges/${challengeId}/complete`, { code });
  const used = await client.call(`GET /otp/${token}`);
  tell.step("The Cardholder types it in", `status ${used.body.data.status}`);
  await client.call(`DELETE /otp/${token}`);
}

async function look(client: Client, tell: Narrator, cardId: string, walletId: string): Promise<void> {
  await client.call(`PUT /cards/${cardId}/status`, { status: 2 });
  const { body } = await client.call(`GET /cards/${cardId}/status`);
  tell.step("The Card is put on hold", `status ${body.data.status} On Hold`);

  const lists = [
    "/cardholders?status=1&limit=3",
    "/cards?issuerCardStatus=2&limit=3",
    `/wallets/${walletId}/transfers`,
  ];
  const totals: string[] = [];
  for (const path of lists) {
    const list = await client.call(`GET ${path}`);
    totals.push(`GET ${path}: ${list.body.items.length} of ${list.body.total}`);
  }
  tell.step("Lists know how many records match", ...totals);

  const { headers } = await client.call(`POST /cards/${cardId}/deposit`);
  tell.step(
    "An old endpoint still answers, and says that it is deprecated",
    `Deprecation: ${headers.deprecation}`,
    `Link: ${headers.link}`,
  );
}
