import { expect } from "vitest";
import type { PayoutView } from "../../shared/contract/payouts.ts";
import { externalAccountPuts } from "../../shared/external-accounts/external-account.ts";
import { applyOutcome } from "../../shared/payments/apply-outcome.ts";
import type { Outcome } from "../../shared/payments/outcome.ts";
import { type Payment, payments, sentWrites } from "../../shared/payments/payment.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { balancesIn, expectBooksInOrder } from "./books.ts";
import { type GivenProgram, givenProgram, givenWallet } from "./given-cards.ts";

type Status = "new" | "verified" | "suspended";

/** As its verification leaves it. */
export async function givenExternalAccount(programId: string, status: Status = "verified"): Promise<string> {
  const externalAccountId = newId("externalAccount");
  const account = {
    ...{ programId, externalAccountId, entityId: externalAccountId, status, currency: 0 as const },
    ...{ holderName: "Ada Example", holderType: "person" as const, lastFour: "3000", country: "DE" },
    sealed: { key: "", iv: "", sealed: "", tag: "", wrappedKey: "" },
    fingerprint: externalAccountId,
    createdAt: timestamp(),
  };
  await transact(externalAccountPuts(account));
  return externalAccountId;
}

export async function givenPayouts(balance = 10_000, payouts: object = {}) {
  const program = await givenProgram({ settings: { payouts } });
  const walletId = await givenWallet(program, balance);
  const externalAccountId = await givenExternalAccount(program.programId);
  return { ...callsOf(program, walletId, externalAccountId), program, walletId, externalAccountId };
}

export function callsOf(program: GivenProgram, walletId: string, externalAccountId: string) {
  const { programId } = program;
  const create = (body: object = {}, headers = {}) =>
    program.call("POST /payouts", { body: { walletId, externalAccountId, amount: 1_000, ...body }, headers });
  const created = async (body: object = {}): Promise<PayoutView> => {
    const answer = await create(body);
    expect(answer.body.errors ?? answer.body.code).toBeUndefined();
    return answer.body.data;
  };
  const on = (payoutId: string) => ({ path: { payoutId } });
  /** A file has it, and the transaction that wrote it there. */
  const send = async (payoutId: string, timeZone = "Etc/UTC") => {
    const payment = (await payments.at(programId, payoutId).get()) as Payment;
    const outcome = await transact(sentWrites(payment, { fileId: "file-1", at: now(), timeZone }));
    return outcome.committed;
  };
  const report = (payoutId: string, outcome: Pick<Outcome, "status" | "amountMinor" | "reasonCode">) =>
    applyOutcome({ programId, paymentId: payoutId, kind: "payout", ...outcome });
  const balances = async () => {
    const items = await expectBooksInOrder(programId);
    const { availableMinor, heldMinor, ledgerMinor } = balancesIn(items, walletId);
    return { available: availableMinor, held: heldMinor, ledger: ledgerMinor };
  };
  return {
    create,
    created,
    send,
    report,
    balances,
    cancel: (payoutId: string) => program.call("POST /payouts/{payoutId}/cancel", on(payoutId)),
    view: async (payoutId: string): Promise<PayoutView> =>
      (await program.call("GET /payouts/{payoutId}", on(payoutId))).body.data,
  };
}
