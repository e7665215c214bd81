import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { money, type Narrator } from "./narrator.ts";

/** A bank account is proven, paid to and pulled from, and what the bank says is booked. */
export async function moveBankMoney(client: Client, tell: Narrator, walletId: string): Promise<void> {
  const externalAccountId = await proveAccount(client, tell);
  const ids = { walletId, externalAccountId };
  const params = { path: { walletId } };
  await unwrap(client.POST("/wallets/{walletId}/bank-deposit", { params, body: { amount: 2_000 } }));
  const payout = await unwrap(
    client.POST("/payouts", { body: { ...ids, amount: 1_500, reference: "INVOICE-7" } }),
  );
  const { payoutId, endToEndId } = payout.data;
  tell.step(
    "15.00 USD are to be paid out of the Wallet, which holds them",
    `${payoutId}, ${payout.data.status}`,
  );
  await tell.balances();
  await tellOfPayout(client, payoutId, { status: "completed" });
  tell.step("The bank books the payout: the money has left", endToEndId);
  await tell.balances();
  const returned = await tellOfPayout(client, payoutId, {
    status: "returned",
    amount: 1_450,
    reasonCode: "AM09",
  });
  tell.step(
    `It comes back, less the bank's charge: ${money(returned.returnedAmount ?? 0).trim()}`,
    `${returned.status}, ${returned.reasonCode}`,
  );
  await tell.balances();
  await pullMoney(client, tell, ids);
}

async function proveAccount(client: Client, tell: Narrator): Promise<string> {
  const account = {
    holderName: "Ada Lovelace",
    holderType: "person",
    accountType: "checking",
    routingNumber: "021000021",
    accountNumber: String(Date.now()),
  } as const;
  const { externalAccountId } = (await unwrap(client.POST("/external-accounts", { body: account }))).data;
  const params = { path: { externalAccountId } };
  const body = { method: "micro_deposits" } as const;
  await unwrap(client.POST("/external-accounts/{externalAccountId}/verification", { params, body }));
  const shown = client.GET("/sandbox/external-accounts/{externalAccountId}/micro-deposits", { params });
  const [first = 0, second = 0] = (await unwrap(shown)).data.amounts;
  const { data } = await unwrap(
    client.POST("/external-accounts/{externalAccountId}/verification/confirm", {
      ...{ params, body: { amounts: [second, first] } },
    }),
  );
  tell.step(
    "A bank account is proven: its holder tells two small amounts from the statement",
    `${externalAccountId}, ${data.status} by ${first} and ${second} cents`,
  );
  return externalAccountId;
}

interface Told {
  readonly status: "completed" | "returned";
  readonly amount?: number;
  readonly reasonCode?: string;
}

async function tellOfPayout(client: Client, payoutId: string, body: Told) {
  const params = { path: { payoutId } };
  return (await unwrap(client.POST("/sandbox/payouts/{payoutId}/outcome", { params, body }))).data;
}

/** By a mandate: pending until the hold days are over, and back with its payer if that one asks. */
async function pullMoney(
  client: Client,
  tell: Narrator,
  ids: { readonly walletId: string; readonly externalAccountId: string },
): Promise<void> {
  const { externalAccountId } = ids;
  const mandate = client.POST("/external-accounts/{externalAccountId}/mandates", {
    ...{ params: { path: { externalAccountId } }, body: { signedAt: "2026-11-01" } },
  });
  const { mandateId } = (await unwrap(mandate)).data;
  const { pullId } = (await unwrap(client.POST("/pulls", { body: { ...ids, mandateId, amount: 4_000 } })))
    .data;
  const params = { path: { pullId } };
  const say = async (body: { readonly status: "collected" | "returned"; readonly reasonCode?: string }) =>
    (await unwrap(client.POST("/sandbox/pulls/{pullId}/outcome", { params, body }))).data;
  const collected = await say({ status: "collected" });
  tell.step(
    "40.00 USD are pulled from the account: in the ledger at once",
    `${pullId}, ${collected.status}, available on ${String(collected.availableOn).slice(0, 10)}`,
  );
  await tell.balances();
  await say({ status: "returned", reasonCode: "MD06" });
  tell.step("Its payer has it back: the Wallet has what it had before");
  await tell.balances();
}
