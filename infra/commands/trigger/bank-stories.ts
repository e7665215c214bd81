import { randomInt } from "node:crypto";
import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { CannotRun } from "../../command-line/options.ts";
import { sayStep } from "../../command-line/print.ts";

/** What they move. They need a Wallet and an external account, and no Card. */
const amount = 12_500;

/** A payout is sent and completed, and then its bank returns it. */
export async function payoutStory(client: Client): Promise<void> {
  const ids = await openAccounts(client);
  const { data } = await unwrap(client.POST("/payouts", { body: { ...ids, amount, reference: "STORY" } }));
  const { payoutId, status, declineReason } = data;
  sayStep(`125.00 go to the account: ${status}: ${payoutId}`);
  if (status !== "pending") throw notPending(declineReason);
  await unwrap(client.POST("/sandbox/payment-files"));
  sayStep("a file for the bank has it: sent");
  const params = { path: { payoutId } };
  for (const body of [{ status: "completed" }, { status: "returned", reasonCode: "AC04" }] as const) {
    await unwrap(client.POST("/sandbox/payouts/{payoutId}/outcome", { params, body }));
    sayStep(`the bank says: ${body.status}`);
  }
}

/** A pull is sent and collected, and then its payer has it back. */
export async function pullStory(client: Client): Promise<void> {
  const ids = await openAccounts(client);
  const account = { path: { externalAccountId: ids.externalAccountId } };
  const signed = { params: account, body: { signedAt: "2026-01-15" } };
  const { data: mandate } = await unwrap(
    client.POST("/external-accounts/{externalAccountId}/mandates", signed),
  );
  sayStep(`its holder has signed a mandate: ${mandate.mandateId}`);
  const body = { ...ids, mandateId: mandate.mandateId, amount, reference: "STORY" };
  const { data } = await unwrap(client.POST("/pulls", { body }));
  sayStep(`125.00 are pulled from the account: ${data.status}: ${data.pullId}`);
  if (data.status !== "pending") throw notPending(data.declineReason);
  const params = { path: { pullId: data.pullId } };
  for (const outcome of [{ status: "collected" }, { status: "returned", reasonCode: "MD06" }] as const) {
    await unwrap(client.POST("/sandbox/pulls/{pullId}/outcome", { params, body: outcome }));
    sayStep(`the bank says: ${outcome.status}`);
  }
}

/** A Wallet with money, and somebody's verified account at a bank. */
async function openAccounts(client: Client): Promise<{ walletId: string; externalAccountId: string }> {
  const { data: wallet } = await unwrap(client.POST("/wallets", { body: { name: "Story" } }));
  const { walletId } = wallet;
  const money = { params: { path: { walletId } }, body: { amount: 2 * amount } };
  await unwrap(client.POST("/wallets/{walletId}/bank-deposit", money));
  sayStep(`a Wallet has 250.00: ${walletId}`);
  // A Program has an account once.
  const accountNumber = String(randomInt(10 ** 11, 10 ** 12));
  const holder = { holderName: "Trigger Story", holderType: "person" } as const;
  const bank = { accountNumber, routingNumber: "021000021", accountType: "checking" } as const;
  const { data: account } = await unwrap(client.POST("/external-accounts", { body: { ...holder, ...bank } }));
  const { externalAccountId } = account;
  const params = { path: { externalAccountId } };
  const check = { params, body: { method: "bank_check" } } as const;
  await unwrap(client.POST("/external-accounts/{externalAccountId}/verification", check));
  const known = { params, body: { outcome: "match" } } as const;
  await unwrap(client.POST("/sandbox/external-accounts/{externalAccountId}/check", known));
  sayStep(`an account at a bank is verified: ${externalAccountId}`);
  return { walletId, externalAccountId };
}

function notPending(reason: string | undefined): CannotRun {
  return new CannotRun(
    `The story ends here${reason === undefined ? "" : `: ${reason}`}. The Program's settings decide it.`,
  );
}
