import * as z from "zod";
import { TransferStatus } from "../contract/enums.ts";
import {
  PayoutDeclineReason,
  type PayoutEventView,
  PayoutStatus,
  type PayoutView,
} from "../contract/payouts.ts";
import { defineDeadline } from "../platform/deadlines.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { TransitionTable } from "../platform/table/transition.ts";
import { type PaymentEvent, paidTransitions, paymentFields, payments } from "./payment.ts";

/** Every legal change of a payout's status; the code and the documentation read this one table. */
export const payoutTransitions = [
  { from: "awaiting_approval", trigger: "approve", to: "pending" },
  { from: "awaiting_approval", trigger: "decline", to: "declined" },
  { from: "awaiting_approval", trigger: "expire", to: "declined" },
  { from: "awaiting_approval", trigger: "cancel", to: "cancelled" },
  { from: "pending", trigger: "cancel", to: "cancelled" },
  ...paidTransitions,
  { from: "returned", trigger: "return", to: "returned" },
] as const satisfies TransitionTable<PayoutStatus, string>;

const Payout = z.object({
  ...paymentFields,
  status: PayoutStatus,
  walletId: z.string(),
  feeMinor: z.int(),
  externalId: z.string().optional(),
  declineReason: PayoutDeclineReason.optional(),
  createdBy: z.string(),
  approvedBy: z.string().optional(),
  /** The day of the Program that counts it. */
  day: z.string(),
  completedAt: z.string().optional(),
  rejectedCode: z.string().optional(),
  returnedAt: z.string().optional(),
  returnedCode: z.string().optional(),
  returnedMinor: z.int().optional(),
  /** The entries by which it came back, each with the bank's reference, or an empty one. */
  returnEntries: z
    .array(z.object({ entry: z.string(), amountMinor: z.int() }))
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

const { pending, approved, declined, error } = TransferStatus;
const transStatuses = {
  awaiting_approval: pending,
  pending,
  sent: pending,
  completed: approved,
  declined,
  cancelled: error,
  rejected: error,
  returned: error,
} as const satisfies Record<PayoutStatus, TransferStatus>;

export function toPayoutView(payout: Payout): PayoutView {
  const { status, rejectedCode, returnedCode } = payout;
  return {
    payoutId: payout.paymentId,
    transStatus: transStatuses[status],
    status,
    amount: payout.amountMinor,
    fee: payout.feeMinor,
    currency: payout.currency,
    walletId: payout.walletId,
    externalAccountId: payout.externalAccountId,
    endToEndId: payout.endToEndId,
    reference: payout.reference,
    externalId: payout.externalId,
    declineReason: payout.declineReason,
    reasonCode: status === "rejected" ? rejectedCode : status === "returned" ? returnedCode : undefined,
    returnedAmount: payout.returnedMinor,
    fileId: payout.fileId,
    createdBy: payout.createdBy,
    approvedBy: payout.approvedBy,
    dateCreated: payout.createdAt,
    dateSent: payout.sentAt,
    dateCompleted: payout.completedAt,
    dateReturned: payout.returnedAt,
  };
}

export function toPayoutEventView({ entityId, status, createdAt, ...shown }: PaymentEvent): PayoutEventView {
  return { eventId: entityId, ...shown, status: PayoutStatus.parse(status), dateCreated: createdAt };
}
