import * as z from "zod";
import {
  PayoutDeclineReason,
  type PayoutEventView,
  PayoutStatus,
  type PayoutView,
} from "../contract/payouts.ts";
import { type JournalEntry, journalEntry } from "../ledger/journal-entry.ts";
import { payoutFeeCharged, payoutLeft, payoutReturned } from "../ledger/movements.ts";
import { holdReleased } from "../ledger/postings.ts";
import { deadlineDelete, defineDeadline } from "../platform/deadlines.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { fromEach, type TransitionTable } from "../platform/table/transition.ts";
import { dayWrites } from "./day.ts";
import { orderedFields, type PaymentEvent, paidTransitions, payments, toShownPayment } from "./payment.ts";
import { type Audit, type Moved, PaymentSteps } from "./payment-step.ts";

/** Every legal change of a payout's status; the code and the documentation read this one table. */
export const payoutTransitions = [
  { from: "awaiting_approval", trigger: "approve", to: "pending" },
  { from: "awaiting_approval", trigger: "decline", to: "declined" },
  { from: "awaiting_approval", trigger: "expire", to: "declined" },
  ...fromEach(["awaiting_approval", "pending"], "cancel", "cancelled"),
  ...paidTransitions,
  { from: "returned", trigger: "return", to: "returned" },
] as const satisfies TransitionTable<PayoutStatus, string>;

const said = z.string().optional();
const Payout = z.object({
  ...orderedFields,
  status: PayoutStatus,
  feeMinor: z.int(),
  declineReason: PayoutDeclineReason.optional(),
  approvedBy: z.string().optional(),
  returnedMinor: z.int().optional(),
  /** The entries by which it came back, each with the bank's reference, or none. */
  returnEntries: z
    .array(z.object({ entry: z.string(), amountMinor: z.int(), report: said, file: said, name: said }))
    .readonly()
    .optional(),
  /** Another return says that this came back: it moves nothing. */
  alsoReturnedMinor: z.int().optional(),
});
export type Payout = Readonly<z.output<typeof Payout>>;

export const payouts = defineEntity({
  name: "payout",
  schema: Payout,
  saysWhenChanged: true,
  key: payments.key,
});

/** How long a payout waits for its approval. */
const approvalMs = 72 * 3_600_000;

export const approvalEnds = ({ createdAt }: Pick<Payout, "createdAt">) =>
  new Date(Date.parse(createdAt) + approvalMs);

/** It was not approved in its time. */
export const unapproved = defineDeadline("unapproved_payout", "urgent", z.object({ payoutId: z.string() }));

export const approvalId = (payoutId: string) => `approval:${payoutId}`;

/** What the Wallet holds for it. */
export function payoutHeldMinor({ status, amountMinor, feeMinor }: Payout): number {
  const isHeld = status === "awaiting_approval" || status === "pending" || status === "sent";
  return isHeld ? amountMinor + feeMinor : 0;
}

export function toPayoutView(payout: Payout): PayoutView {
  const { paymentId: payoutId, status, feeMinor: fee, declineReason, returnedMinor, approvedBy } = payout;
  const own = { payoutId, status, fee, declineReason, returnedAmount: returnedMinor, approvedBy };
  return { ...toShownPayment(payout), ...own };
}

export function toPayoutEventView({ entityId, status, createdAt, ...shown }: PaymentEvent): PayoutEventView {
  return { eventId: entityId, ...shown, status: PayoutStatus.parse(status), dateCreated: createdAt };
}

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
