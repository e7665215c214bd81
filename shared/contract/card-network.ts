import * as z from "zod";
import { ChargebackDecision, FeeType } from "./enums.ts";
import { merchantFields } from "./merchant.ts";
import { id, integerEnum, memo, positiveAmount, text, timestamp } from "./primitives.ts";

/**
 * The card network's messages, one schema per kind; amounts in minor units of the card's currency. What each does to the balances and
 * which transaction type it writes stands in docs/processor.md.
 */
const common = {
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  cardId: id("card"),
  /** When it happened on the network's side; now where it is left out. */
  occurredAt: timestamp.optional(),
};

/** The sender's reference of an authorization, which all the events of its life carry. */
export const authorizationReference = z
  .string()
  .regex(/^[\x21-\x7e]{1,64}$/, "must be 1 to 64 printable ASCII characters without spaces");

const settlementFields = {
  ...merchantFields,
  /** Globally unique reference of the settlement; one is made where it is left out. */
  referenceCode: text(64).optional(),
  description: memo.optional(),
};

export const Authorization = z.object({
  ...common,
  kind: z.literal("authorization"),
  authorizationId: authorizationReference,
  amount: positiveAmount,
  /** Whether the terminal takes an approval of less than `amount`. */
  partialApprovalSupported: z.boolean().optional(),
  ...merchantFields,
});

export const AuthorizationAdvice = z.object({
  ...common,
  kind: z.literal("authorization_advice"),
  authorizationId: authorizationReference,
  amount: positiveAmount,
  /** The network approved in our place while we could not be reached. */
  standIn: z.boolean().default(false),
  ...merchantFields,
});

export const AuthorizationIncremental = z.object({
  ...common,
  kind: z.literal("authorization_incremental"),
  authorizationId: authorizationReference,
  /** What is added to the authorization. */
  amount: positiveAmount,
  ...merchantFields,
});

export const AuthorizationReversal = z.object({
  ...common,
  kind: z.literal("authorization_reversal"),
  authorizationId: authorizationReference,
  /** Without it, all that is held is released and the authorization is finished. */
  amount: positiveAmount.optional(),
});

export const AuthorizationExpiry = z.object({
  ...common,
  kind: z.literal("authorization_expiry"),
  authorizationId: authorizationReference,
});

export const Clearing = z.object({
  ...common,
  kind: z.literal("clearing"),
  /** Without it, the clearing is a force post: it releases no hold. */
  authorizationId: authorizationReference.optional(),
  amount: positiveAmount,
  /** true releases all that is left of the hold and finishes the authorization, false releases `amount` of it. */
  final: z.boolean().default(true),
  ...settlementFields,
});

export const Refund = z.object({
  ...common,
  kind: z.literal("refund"),
  amount: positiveAmount,
  ...settlementFields,
});

export const RefundReversal = z.object({
  ...common,
  kind: z.literal("refund_reversal"),
  /** The refund, which is taken back whole. */
  transId: id("transaction"),
});

export const AtmWithdrawal = z.object({
  ...common,
  kind: z.literal("atm_withdrawal"),
  amount: positiveAmount,
  /** Without it, the fee is what the Program's schedule says, or none. */
  feeAmount: z.union([z.literal(0), positiveAmount]).optional(),
  /** The network has approved it already: it is posted without a decision. */
  advice: z.boolean().optional(),
  ...settlementFields,
});

export const FeeCharge = z.object({
  ...common,
  kind: z.literal("fee"),
  feeType: integerEnum(FeeType),
  amount: positiveAmount,
  /** The transaction that the fee is charged for. */
  relatedTransId: id("transaction").optional(),
  description: memo.optional(),
});

export const FeeReversal = z.object({
  ...common,
  kind: z.literal("fee_reversal"),
  /** The fee, which is given back whole. */
  feeId: id("fee"),
});

export const BalanceInquiry = z.object({
  ...common,
  kind: z.literal("balance_inquiry"),
  ...merchantFields,
});

export const Chargeback = z.object({
  ...common,
  kind: z.literal("chargeback"),
  chargebackId: id("chargeback").optional(),
  /** The cleared purchase or ATM withdrawal that is disputed. */
  transId: id("transaction"),
  /** What is disputed of it; all where it is left out. */
  amount: positiveAmount.optional(),
});

export const ChargebackOutcome = z.object({
  ...common,
  kind: z.literal("chargeback_outcome"),
  chargebackId: id("chargeback"),
  status: integerEnum(ChargebackDecision),
});

export const cardNetworkEvents = [
  Authorization,
  AuthorizationAdvice,
  AuthorizationIncremental,
  AuthorizationReversal,
  AuthorizationExpiry,
  Clearing,
  Refund,
  RefundReversal,
  AtmWithdrawal,
  FeeCharge,
  FeeReversal,
  BalanceInquiry,
  Chargeback,
  ChargebackOutcome,
] as const;
