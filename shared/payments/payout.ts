import * as z from "zod";
import {
  PayoutDeclineReason,
  type PayoutEventView,
  PayoutStatus,
  type PayoutView,
} from "../contract/payouts.ts";
import { defineDeadline } from "../platform/deadlines.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { fromEach, type TransitionTable } from "../platform/table/transition.ts";
import { orderedFields, type PaymentEvent, paidTransitions, payments, toShownPayment } from "./payment.ts";

/** Every legal change of a payout's status; the code and the documentation read this one table. */
export const payoutTransitions = [
  { from: "awaiting_approval", trigger: "approve", to: "pending" },
  { from: "awaiting_approval", trigger: "decline", to: "declined" },
  { from: "awaiting_approval", trigger: "expire", to: "declined" },
  ...fromEach(["awaiting_approval", "pending"], "cancel", "cancelled"),
  ...paidTransitions,
  { from: "returned", trigger: "return", to: "returned" },
] as const satisfies TransitionTable<PayoutStatus, string>;

const Payout = z.object({
  ...orderedFields,
  status: PayoutStatus,
  feeMinor: z.int(),
  declineReason: PayoutDeclineReason.optional(),
  approvedBy: z.string().optional(),
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

export function toPayoutView(payout: Payout): PayoutView {
  const { paymentId: payoutId, status, feeMinor: fee, declineReason, returnedMinor, approvedBy } = payout;
  const own = { payoutId, status, fee, declineReason, returnedAmount: returnedMinor, approvedBy };
  return { ...toShownPayment(payout), ...own };
}

export function toPayoutEventView({ entityId, status, createdAt, ...shown }: PaymentEvent): PayoutEventView {
  return { eventId: entityId, ...shown, status: PayoutStatus.parse(status), dateCreated: createdAt };
}
