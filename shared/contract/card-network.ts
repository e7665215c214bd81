import * as z from "zod";
import { DisputeStatus } from "./disputes.ts";
import { ChargebackDecision, FeeType } from "./enums.ts";
import { authorizationReference, RepeatableMessage, SimilarTo } from "./network-message.ts";
import { id, integerEnum, maximumAmountMinor, memo, positiveAmount, text, timestamp } from "./primitives.ts";
import { currencyCode, interchange, type Merchant, merchantFields, settlementFields } from "./settled.ts";
import { billingAddress, presentedFields } from "./verification.ts";

export { type Merchant, merchantFields, settlementFields };

/** How the merchant got the card's data. */
export const EntryMode = z.enum(["chip", "contactless", "magstripe", "keyed", "ecommerce", "recurring"]);
export type EntryMode = z.output<typeof EntryMode>;

/** The currency of `amount`. If it is not the card's, the event is refused. */
const billingCurrency = currencyCode.optional();

/** What the platform decides has it. Spend controls can name it. */
export const entryMode = EntryMode.optional();

/** What the network sent, and cannot be read: neither an allowed nor an unlisted value. */
export const Unread = z.enum(["merchantCountry", "entryMode"]);
export type Unread = z.output<typeof Unread>;
const unread = z.array(Unread).optional();

/** A check before the platform's: it is declined for this, and recorded. */
export const FailedCheck = z.enum(["PIN_WRONG", "PIN_BLOCKED", "CVV_WRONG", "EXPIRY_WRONG"]);
export type FailedCheck = z.output<typeof FailedCheck>;

/** Which plastic of the Card it is made with. */
export const plasticFields = {
  plasticId: presentedFields.plasticId,
  /** Only its number is known: another plastic with the same one is as good. */
  anyOfNumber: z.boolean().optional(),
};

/** The event that `authorizationId` names. What it belongs to is meant: an authorization. */
const precedingEventId = text(128).optional();

const answered = {
  failedCheck: FailedCheck.optional(),
  /** The answer to an approval has the balances after it. */
  withBalances: z.boolean().optional(),
  /** Tells another request with the same `eventId` from a repetition: it is refused. */
  requestHash: text(64).optional(),
};

/** What all events of a card have. */
const ofCard = {
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  cardId: id("card"),
  /** When it happened in the network. Default: now. */
  occurredAt: timestamp.optional(),
};

/** 0 verifies the account: it holds nothing. */
const authorizedAmount = z.int().min(0).max(maximumAmountMinor);
const similarTo = SimilarTo.optional();
const message = RepeatableMessage.optional();

/**
 * The card network's messages, in minor units of the card's currency. docs/processor.md has their
 * effects on balances and their transaction types.
 */
export const Authorization = z.object({
  ...ofCard,
  kind: z.literal("authorization"),
  similarTo,
  message,
  authorizationId: authorizationReference,
  amount: authorizedAmount,
  billingCurrency,
  /** Whether the terminal accepts an approval of less than `amount`. */
  partialApprovalSupported: z.boolean().optional(),
  entryMode,
  unread,
  ...presentedFields,
  billingAddress,
  ...answered,
  ...plasticFields,
  ...merchantFields,
});

export const AuthorizationAdvice = z.object({
  ...ofCard,
  kind: z.literal("authorization_advice"),
  similarTo,
  message,
  authorizationId: authorizationReference,
  precedingEventId,
  amount: authorizedAmount,
  billingCurrency,
  /** `amount` is all that is authorized, not an addition. The last to occur counts. */
  total: z.boolean().optional(),
  /** The network approved on the platform's behalf. */
  standIn: z.boolean().default(false),
  ...presentedFields,
  ...merchantFields,
});

export const AuthorizationIncremental = z.object({
  ...ofCard,
  kind: z.literal("authorization_incremental"),
  similarTo,
  message,
  authorizationId: authorizationReference,
  precedingEventId,
  /** The amount to add to the authorization. */
  amount: positiveAmount,
  /** The `authorizationId` with which a reversal names it. If that came first, it is declined. */
  incrementId: authorizationReference.optional(),
  /** If the authorization is unknown, that is the result for all repetitions. */
  lastAttempt: z.boolean().optional(),
  billingCurrency,
  unread,
  ...answered,
  ...plasticFields,
  ...merchantFields,
});

export const AuthorizationReversal = z.object({
  ...ofCard,
  kind: z.literal("authorization_reversal"),
  similarTo,
  message,
  authorizationId: authorizationReference,
  precedingEventId,
  /** Default: the whole hold, which finishes the authorization. */
  amount: positiveAmount.optional(),
  billingCurrency,
  /** `amount` is what is left, cleared or not, instead of what is released. */
  total: z.boolean().optional(),
  /** Where nothing is left to reverse, it is applied with `amount` 0 instead of refused. */
  mayBeDone: z.boolean().optional(),
  /** Only what has come is reversed: else it is `NOT_FOUND`. */
  ifKnown: z.boolean().optional(),
  /** Releases what this increment was approved for, whatever `amount` says. */
  incrementEventId: text(128).optional(),
  /** The event that `authorizationId` names. If it was an increment, that alone is reversed. */
  originalEventId: text(128).optional(),
  /** The whole reversal of an ATM withdrawal reverses its fee too. */
  withFee: z.boolean().optional(),
  /** It reverses what one message has posted: a withdrawal, or a purchase, which is refunded. */
  ofPosted: z.boolean().optional(),
  /** What is given back of a posting may have it. */
  interchange,
});

export const AuthorizationExpiry = z.object({
  ...ofCard,
  kind: z.literal("authorization_expiry"),
  authorizationId: authorizationReference,
  precedingEventId,
});

export const Clearing = z.object({
  ...ofCard,
  kind: z.literal("clearing"),
  similarTo,
  /** Without it, the clearing is a force post and releases no hold. */
  authorizationId: authorizationReference.optional(),
  precedingEventId,
  amount: positiveAmount,
  /** true releases the rest of the hold and finishes the authorization; false releases `amount`. */
  final: z.boolean().default(true),
  ...presentedFields,
  ...settlementFields,
});

/** The refunded purchase or withdrawal: what is refunded of it cannot be disputed. */
export const originalTransId = id("transaction").optional();

export const Refund = z.object({
  ...ofCard,
  kind: z.literal("refund"),
  amount: positiveAmount,
  originalTransId,
  ...settlementFields,
});

/** The merchant will refund: nothing moves before the refund itself. */
export const RefundAuthorization = z.object({
  ...ofCard,
  kind: z.literal("refund_authorization"),
  message,
  amount: authorizedAmount,
  billingCurrency,
  failedCheck: answered.failedCheck,
  requestHash: answered.requestHash,
  ...plasticFields,
  ...merchantFields,
});

export const RefundReversal = z.object({
  ...ofCard,
  kind: z.literal("refund_reversal"),
  /** The refund to reverse, in full. */
  transId: id("transaction"),
});

export const AtmWithdrawal = z.object({
  ...ofCard,
  kind: z.literal("atm_withdrawal"),
  similarTo,
  message,
  /** An `authorization_reversal` with it takes the withdrawal back. */
  authorizationId: authorizationReference.optional(),
  amount: positiveAmount,
  billingCurrency,
  /** In minor units. Default: the Program's scheduled fee, or none. */
  feeAmount: z.union([z.literal(0), positiveAmount]).optional(),
  /** The network has already approved it: posted without a decision. `total` as in its advices. */
  advice: z.boolean().optional(),
  total: z.boolean().optional(),
  entryMode,
  unread,
  ...presentedFields,
  ...answered,
  ...plasticFields,
  ...settlementFields,
});

export const FeeCharge = z.object({
  ...ofCard,
  kind: z.literal("fee"),
  feeType: integerEnum(FeeType),
  amount: positiveAmount,
  /** The transaction that caused the fee. */
  relatedTransId: id("transaction").optional(),
  description: memo.optional(),
});

export const FeeReversal = z.object({
  ...ofCard,
  kind: z.literal("fee_reversal"),
  feeId: id("fee"),
});

export const BalanceInquiry = z.object({
  ...ofCard,
  kind: z.literal("balance_inquiry"),
  message,
  failedCheck: FailedCheck.optional(),
  ...plasticFields,
  ...merchantFields,
});

export const Chargeback = z.object({
  ...ofCard,
  kind: z.literal("chargeback"),
  chargebackId: id("dispute").optional(),
  /** The disputed purchase or ATM withdrawal. It must be cleared. */
  transId: id("transaction"),
  /** The disputed amount in minor units. Default: the whole transaction. */
  amount: positiveAmount.optional(),
});

export const ChargebackOutcome = z.object({
  ...ofCard,
  kind: z.literal("chargeback_outcome"),
  chargebackId: id("dispute"),
  status: integerEnum(ChargebackDecision),
});

/** The network's answer, or its next step, in a dispute. */
export const DisputeOutcome = z.object({
  ...ofCard,
  kind: z.literal("dispute_outcome"),
  disputeId: id("dispute"),
  status: DisputeStatus,
});

export const cardNetworkEvents = [
  Authorization,
  AuthorizationAdvice,
  AuthorizationIncremental,
  AuthorizationReversal,
  AuthorizationExpiry,
  Clearing,
  Refund,
  RefundAuthorization,
  RefundReversal,
  AtmWithdrawal,
  FeeCharge,
  FeeReversal,
  BalanceInquiry,
  Chargeback,
  ChargebackOutcome,
  DisputeOutcome,
] as const;

export type CardNetworkEvent = z.output<(typeof cardNetworkEvents)[number]>;

export interface KindFacts {
  /** The network waits, and a receiver may be asked: what is approved is held, or posted. */
  readonly asks?: "hold" | "posting";
  /** What it adds to an authorization is approved: spend controls count it at its own time. */
  readonly isApproval?: true;
  /** The plastic that it is made with must be good: others are booked whatever they name. */
  readonly isPresented?: true;
  /** Later messages name it by its `authorizationId`. */
  readonly isNamed?: true;
  /** It moves its amount whatever is there: with another amount, it is no repetition. */
  readonly movesAmount?: true;
  /** Spend controls decline or count it. Its transaction keeps the event, for simulations. */
  readonly isControlled?: true;
  /** It looks at the Card's spend limit, though no control counts it. */
  readonly looksAtLimit?: true;
  /** The event is kept also where it leaves no transaction. */
  readonly isKept?: true;
  /** It can post what the network settles, at once or by a later file. */
  readonly maySettle?: true;
  /** It says what the network has settled: refused, it is on this side of the day's report. */
  readonly settles?: "DR" | "CR";
}

/** What is true of each kind, beside its shape. tsc asks for what follows from it. */
export const networkKindFacts = {
  authorization: { asks: "hold", isControlled: true, isApproval: true, isPresented: true, isNamed: true },
  authorization_advice: { isControlled: true, isApproval: true, isNamed: true },
  authorization_incremental: { asks: "hold", isControlled: true, isApproval: true },
  authorization_reversal: { isControlled: true, isKept: true, maySettle: true },
  authorization_expiry: { isControlled: true, isKept: true },
  clearing: { isControlled: true, isKept: true, movesAmount: true, maySettle: true, settles: "DR" },
  refund: { movesAmount: true, maySettle: true, settles: "CR" },
  refund_authorization: {},
  refund_reversal: { maySettle: true },
  atm_withdrawal: {
    ...{ asks: "posting", isControlled: true, isApproval: true, isPresented: true, isNamed: true },
    ...{ isKept: true, maySettle: true, settles: "DR" },
  },
  balance_inquiry: { isPresented: true, looksAtLimit: true },
  fee: { movesAmount: true },
  fee_reversal: {},
  chargeback: {},
  chargeback_outcome: {},
  dispute_outcome: {},
} as const satisfies Readonly<Record<CardNetworkEvent["kind"], KindFacts>>;

/** Other events than the card network's have none. */
export function findNetworkFacts({ kind }: { readonly kind: string }): KindFacts {
  return (networkKindFacts as Readonly<Record<string, KindFacts>>)[kind] ?? {};
}

/** The network's kinds of which something is true. */
export type KindWith<Fact extends keyof KindFacts> = {
  [K in CardNetworkEvent["kind"]]: Fact extends keyof (typeof networkKindFacts)[K] ? K : never;
}[CardNetworkEvent["kind"]];

/** What the network waits for, and the Program's receiver is asked about. */
export type AskedEvent = Extract<CardNetworkEvent, { kind: KindWith<"asks"> }>;
