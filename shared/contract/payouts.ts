import * as z from "zod";
import { Currency, TransferStatus } from "./enums.ts";
import {
  amount,
  externalId,
  id,
  integerEnum,
  maximumAmountMinor,
  memo,
  positiveAmount,
  text,
  timestamp,
} from "./primitives.ts";

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

/** An ISO 20022 code of four characters: `AC04`. */
export const reasonCode = z.string().regex(/^[A-Z0-9]{4}$/, "must be four capital letters or digits");

/** What the bank calls a payment by: it is on the account statement of who is paid. */
export const endToEndId = text(35);

export const PayoutCreate = z.object({
  walletId: id("wallet"),
  externalAccountId: text(64),
  /** Beside it, the Program's fee is taken from the Wallet. */
  amount: positiveAmount,
  /** What who is paid reads of it. An ISO 11649 reference is sent as one. */
  reference: memo.optional(),
  externalId: externalId.optional(),
});

export const PayoutView = z.object({
  payoutId: id("payout"),
  transStatus: integerEnum(TransferStatus),
  status: PayoutStatus,
  amount: positiveAmount,
  fee: amount,
  currency: integerEnum(Currency),
  walletId: id("wallet"),
  externalAccountId: z.string(),
  endToEndId,
  reference: z.string().optional(),
  externalId: externalId.optional(),
  /** Only a declined one has it. */
  declineReason: PayoutDeclineReason.optional(),
  /** The bank's, of a rejected or returned one. */
  reasonCode: z.string().optional(),
  /** What came back: less than the amount if the bank has kept a charge. */
  returnedAmount: amount.optional(),
  /** The file that told the bank. */
  fileId: z.string().optional(),
  /** The API user. */
  createdBy: z.string(),
  /** The API user, of a payout that another one had to approve. */
  approvedBy: z.string().optional(),
  dateCreated: timestamp,
  dateSent: timestamp.optional(),
  dateCompleted: timestamp.optional(),
  dateReturned: timestamp.optional(),
});
export type PayoutView = z.output<typeof PayoutView>;

/** The API user, `bank`, or `platform` where a time was over. */
const actor = z.string();

export const PayoutEventView = z.object({
  eventId: id("event"),
  /** The status that it led to. */
  status: PayoutStatus,
  by: actor,
  reasonCode: z.string().optional(),
  dateCreated: timestamp,
});
export type PayoutEventView = z.output<typeof PayoutEventView>;

/** A Program's settings of payouts: replaced as a whole. Amounts in minor units. */
export const PayoutSettings = z.strictObject({
  /** A payout of more waits until another API user approves it. */
  approvalAbove: z.int().min(0).max(maximumAmountMinor).optional(),
  /** A payout of more is declined. */
  singleMax: positiveAmount.optional(),
  /** What all payouts of a day of the Program may come to, without those that moved nothing. */
  dailyMax: positiveAmount.optional(),
  /** What a payout costs its Wallet beside the amount. */
  fee: z.int().min(0).max(maximumAmountMinor).optional(),
});
export type PayoutSettings = z.output<typeof PayoutSettings>;

/** The operator's for a Program. What it leaves out is without a bound. */
export const FundingLimits = z.strictObject({
  payouts: PayoutSettings.omit({ fee: true }).optional(),
});
export type FundingLimits = z.output<typeof FundingLimits>;
