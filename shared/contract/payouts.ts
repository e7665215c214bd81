import * as z from "zod";
import {
  eventQuery,
  orderFields,
  paymentEventView,
  paymentFields,
  paymentLimits,
  paymentQuery,
  reasonCode,
  paymentRoute as route,
  paymentSandboxRoute as sandboxRoute,
} from "./payments.ts";
import { amount, id, maximumAmountMinor, positiveAmount } from "./primitives.ts";

/** `transStatus` says the same in the specification's numbers. */
export const PayoutStatus = z.enum([
  "awaiting_approval",
  "declined",
  "cancelled",
  "pending",
  "sent",
  "completed",
  "rejected",
  "returned",
]);
export type PayoutStatus = z.output<typeof PayoutStatus>;

/** Why a payout moves nothing. */
export const PayoutDeclineReason = z.enum(["INSUFFICIENT_FUNDS", "LIMIT_EXCEEDED", "NOT_APPROVED"]);
export type PayoutDeclineReason = z.output<typeof PayoutDeclineReason>;

export const PayoutCreate = z.object(orderFields);
export type PayoutCreate = z.output<typeof PayoutCreate>;

export const PayoutView = z.object({
  payoutId: id("payout"),
  ...paymentFields,
  status: PayoutStatus,
  /** The Program's, in minor units, taken from the Wallet beside the amount. */
  fee: amount,
  /** Only a declined one has it. */
  declineReason: PayoutDeclineReason.optional(),
  /** What came back, in minor units: less than the amount if the bank has kept a charge. */
  returnedAmount: amount.optional(),
  /** The API user, of a payout that another one had to approve. */
  approvedBy: z.string().optional(),
});
export type PayoutView = z.output<typeof PayoutView>;

export const PayoutEventView = paymentEventView(PayoutStatus);
export type PayoutEventView = z.output<typeof PayoutEventView>;

/** A Program's settings of payouts: replaced as a whole. Amounts in minor units. */
export const PayoutSettings = z.strictObject({
  /** In minor units: a payout of more waits until another API user approves it. */
  approvalAbove: z.int().min(0).max(maximumAmountMinor).optional(),
  ...paymentLimits,
  /** What a payout costs its Wallet beside the amount, in minor units. */
  fee: z.int().min(0).max(maximumAmountMinor).optional(),
});
export type PayoutSettings = z.output<typeof PayoutSettings>;

/** A Program's settings of pulls: replaced as a whole. Amounts in minor units. */
export const PullSettings = z.strictObject({
  ...paymentLimits,
  /** Days on which banks settle, after which what was collected can be spent. Default: 5. */
  holdDays: z.int().min(0).max(60).optional(),
});
export type PullSettings = z.output<typeof PullSettings>;

/** The operator's for a Program. What it leaves out is without a bound. */
export const FundingLimits = z.strictObject({
  payouts: PayoutSettings.omit({ fee: true }).optional(),
  /** Its hold days are the least that the Program may set. */
  pulls: PullSettings.optional(),
});
export type FundingLimits = z.output<typeof FundingLimits>;

export const payoutRoutes = [
  route("GET /payouts", "read listPayouts", "List payouts to external accounts", {
    query: paymentQuery("payoutId", PayoutStatus),
    items: PayoutView,
  }),
  route("POST /payouts", "money createPayout", "Pay out from a Wallet to an external account", {
    movesFunds: true,
    body: PayoutCreate,
    data: PayoutView,
    errors: ["NOT_FOUND", "EXTERNAL_ACCOUNT_NOT_VERIFIED", "EXTERNAL_ID_EXISTS"],
  }),
  route("GET /payouts/{payoutId}", "read viewPayout", "View a payout", { data: PayoutView }),
  route("GET /payouts/{payoutId}/events", "read listPayoutEvents", "List what happened to a payout", {
    query: eventQuery,
    items: PayoutEventView,
  }),
  route("POST /payouts/{payoutId}/cancel", "money cancelPayout", "Cancel a payout that was not sent", {
    movesFunds: true,
    data: PayoutView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("POST /payouts/{payoutId}/approve", "money approvePayout", "Approve a payout, as a second person", {
    movesFunds: true,
    data: PayoutView,
    errors: ["ILLEGAL_TRANSITION", "SECOND_PERSON", "EXTERNAL_ACCOUNT_NOT_VERIFIED"],
  }),
  route("POST /payouts/{payoutId}/decline", "money declinePayout", "Decline a payout that awaits approval", {
    movesFunds: true,
    data: PayoutView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
] as const;

/** What the bank says of a payout, in a sandbox. One that is pending is sent first. */
export const SandboxPayoutOutcome = z.object({
  status: z.enum(["completed", "rejected", "returned"]),
  /** What came back, of a returned one, in minor units. Default: all. */
  amount: positiveAmount.optional(),
  reasonCode: reasonCode.optional(),
});

export const SandboxPaymentFile = z.object({
  fileId: z.string(),
  /** Credit transfers, or direct debits. */
  kind: z.enum(["pain.001", "pain.008"]),
  /** How many payments it has. */
  count: z.int(),
  /** What they come to, in minor units. */
  sum: z.int(),
  /** As the bank has it. One of more than 4 MB has none here. */
  xml: z.string().optional(),
});

export const payoutSandboxRoutes = [
  sandboxRoute(
    "POST /payouts/{payoutId}/outcome",
    "money reportPayout",
    "Complete, reject or return a payout, as the bank does",
    { body: SandboxPayoutOutcome, data: PayoutView, errors: ["ILLEGAL_TRANSITION", "VALIDATION_FAILED"] },
  ),
  sandboxRoute(
    "POST /payment-files",
    "money makePaymentFiles",
    "Write what is pending into files for the bank, at once",
    { data: z.object({ files: z.array(SandboxPaymentFile) }) },
  ),
] as const;
