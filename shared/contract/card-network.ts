import * as z from "zod";
import { ChargebackDecision, FeeType } from "./enums.ts";
import {
  country,
  id,
  integerEnum,
  maximumAmountMinor,
  memo,
  positiveAmount,
  text,
  timestamp,
} from "./primitives.ts";

/** How the merchant got the card's data. */
export const EntryMode = z.enum(["chip", "contactless", "magstripe", "keyed", "ecommerce", "recurring"]);
export type EntryMode = z.output<typeof EntryMode>;

/** Of what the platform decides. Spend controls can name it. */
export const entryMode = EntryMode.optional();

export const merchantFields = {
  merchantName: text(100).optional(),
  mcc: z
    .string()
    .regex(/^\d{4}$/, "must be four digits")
    .optional(),
  merchantId: text(50).optional(),
  merchantCity: text(50).optional(),
  merchantCountry: country.optional(),
  /** The billed amount, in hundredths of `srcCurrency`: 999 is 9.99. */
  srcAmount: z.int().min(0).max(maximumAmountMinor).optional(),
  /** ISO 4217 numeric code: 978 is EUR. The card's own currency if no conversion took place. */
  srcCurrency: z
    .string()
    .regex(/^\d{3}$/, "must be an ISO 4217 numeric code")
    .optional(),
};

const Merchant = z.object(merchantFields);
export type Merchant = z.output<typeof Merchant>;

/**
 * The card network's messages, in minor units of the card's currency. docs/processor.md has their
 * effects on balances and their transaction types.
 */
const common = {
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  cardId: id("card"),
  /** When it happened in the network. Default: now. */
  occurredAt: timestamp.optional(),
};

/** Shared by all events of an authorization. */
export const authorizationReference = z
  .string()
  .regex(/^[\x21-\x7e]{1,64}$/, "must be 1 to 64 printable ASCII characters without spaces");

export const settlementFields = {
  ...merchantFields,
  /** The settlement's globally unique reference. Default: a new one. */
  referenceCode: text(64).optional(),
  description: memo.optional(),
};

export const Authorization = z.object({
  ...common,
  kind: z.literal("authorization"),
  authorizationId: authorizationReference,
  amount: positiveAmount,
  /** Whether the terminal accepts an approval of less than `amount`. */
  partialApprovalSupported: z.boolean().optional(),
  entryMode,
  ...merchantFields,
});

export const AuthorizationAdvice = z.object({
  ...common,
  kind: z.literal("authorization_advice"),
  authorizationId: authorizationReference,
  amount: positiveAmount,
  /** The network approved on the platform's behalf. */
  standIn: z.boolean().default(false),
  ...merchantFields,
});

export const AuthorizationIncremental = z.object({
  ...common,
  kind: z.literal("authorization_incremental"),
  authorizationId: authorizationReference,
  /** The amount to add to the authorization. */
  amount: positiveAmount,
  ...merchantFields,
});

export const AuthorizationReversal = z.object({
  ...common,
  kind: z.literal("authorization_reversal"),
  authorizationId: authorizationReference,
  /** Default: the whole hold, which finishes the authorization. */
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
  /** Without it, the clearing is a force post and releases no hold. */
  authorizationId: authorizationReference.optional(),
  amount: positiveAmount,
  /** true releases the rest of the hold and finishes the authorization; false releases `amount`. */
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
  /** The refund to reverse, in full. */
  transId: id("transaction"),
});

export const AtmWithdrawal = z.object({
  ...common,
  kind: z.literal("atm_withdrawal"),
  amount: positiveAmount,
  /** In minor units. Default: the Program's scheduled fee, or none. */
  feeAmount: z.union([z.literal(0), positiveAmount]).optional(),
  /** The network has already approved it: it is posted without a decision. */
  advice: z.boolean().optional(),
  entryMode,
  ...settlementFields,
});

export const FeeCharge = z.object({
  ...common,
  kind: z.literal("fee"),
  feeType: integerEnum(FeeType),
  amount: positiveAmount,
  /** The transaction that caused the fee. */
  relatedTransId: id("transaction").optional(),
  description: memo.optional(),
});

export const FeeReversal = z.object({
  ...common,
  kind: z.literal("fee_reversal"),
  /** The fee to reverse, in full. */
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
  /** The disputed purchase or ATM withdrawal. It must be cleared. */
  transId: id("transaction"),
  /** The disputed amount in minor units. Default: the whole transaction. */
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
