import { type JournalEntry, journalEntry } from "../ledger/journal-entry.ts";
import { payoutFeeCharged, payoutLeft, payoutReturned } from "../ledger/movements.ts";
import { holdReleased } from "../ledger/postings.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import { dayWrites } from "./day.ts";
import { type Audit, type Moved, PaymentSteps } from "./payment-step.ts";
import {
  approvalId,
  type Payout,
  payoutHeldMinor,
  payouts,
  payoutTransitions,
  toPayoutView,
} from "./payout.ts";

export type AuditPayout = Audit<Payout>;

export const payoutSteps = new PaymentSteps({
  name: "payout",
  at: (programId, paymentId) => payouts.at(programId, paymentId),
  transitions: payoutTransitions,
  toView: toPayoutView,
  alongside: (before, after) => [
    ...(before.status === "awaiting_approval"
      ? [deadlineDelete(before.programId, approvalId(before.paymentId))]
      : []),
    ...dayWrites(before, after),
  ],
});

function inWallet({ walletId: accountId }: Payout, entries: readonly JournalEntry[]): Moved {
  return { entries, accounts: [{ name: "wallet", account: { kind: "wallet", accountId } }] };
}

/** The Wallet has again what it held. */
export function release(payout: Payout, at: Date): Moved {
  const { paymentId, walletId } = payout;
  const postings = holdReleased(walletId, payoutHeldMinor(payout));
  return inWallet(payout, [journalEntry("payout_released", paymentId, postings, at)]);
}

/** The amount and the fee leave the Wallet: what it holds, or after a rejection what it has. */
export function leave(payout: Payout, at: Date): Moved {
  const { paymentId, walletId, amountMinor, feeMinor, reference } = payout;
  const from = payoutHeldMinor(payout) > 0 ? "held" : "available";
  return inWallet(payout, [
    journalEntry("payout", paymentId, payoutLeft(walletId, from, amountMinor), at, reference),
    ...(feeMinor > 0
      ? [journalEntry("payout_fee", paymentId, payoutFeeCharged(walletId, from, feeMinor), at, reference)]
      : []),
  ]);
}

/** It has left before, or does so now. Of what has come back in part, more comes. */
export function comeBack(payout: Payout, amountMinor: number, at: Date): Moved {
  const { status, paymentId, walletId, reference } = payout;
  const hasLeft = status === "completed" || status === "returned";
  const before = hasLeft ? [] : leave(payout, at).entries;
  const postings = payoutReturned(walletId, amountMinor);
  return inWallet(payout, [...before, journalEntry("payout_return", paymentId, postings, at, reference)]);
}
