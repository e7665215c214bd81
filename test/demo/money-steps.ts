import type { Client } from "./client.ts";
import { money, type Narrator } from "./narrator.ts";

/** Money comes from a bank into a new Wallet. */
export async function fundWallet(client: Client, tell: Narrator, cardId: string): Promise<string> {
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

/** Transfers to the Card: approved, repeated, declined, partial. */
export async function transfer(
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

/** A deposit on the Card is pending, and clears. */
export async function receiveDigitalAssets(client: Client, tell: Narrator, cardId: string): Promise<void> {
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

/** A purchase is held and settles, and a fee is charged. */
export async function pay(client: Client, tell: Narrator, cardId: string): Promise<void> {
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
