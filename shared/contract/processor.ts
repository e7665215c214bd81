import * as z from "zod";
import { DecidedBy } from "./authorization-endpoint.ts";
import { Balances } from "./balances.ts";
import { cardNetworkEvents } from "./card-network.ts";
import { Currency, DestinationType, IssuanceDecision, KycStatus } from "./enums.ts";
import { AccountChecked } from "./external-accounts.ts";
import { authorizationReference } from "./network-message.ts";
import { ThreeDsChallenge, ThreeDsCompletion } from "./otp.ts";
import { amount, id, integerEnum, memo, positiveAmount, text, timestamp } from "./primitives.ts";
import { shippingReport } from "./shipping.ts";
import { TokenOutcome, TokenState, tokenEventShapes } from "./tokens.ts";
import { AuthorizationDeclineReason } from "./transactions.ts";
import { AvsCode } from "./verification.ts";

/**
 * Events of the card network and the compliance provider, by queue or direct invocation. Idempotent
 * by `eventId` within the Program, forever.
 */
const common = {
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  occurredAt: timestamp.optional(),
};

const depositDetails = {
  /** 0: `accountId` is a walletId. 1: it is a cardId. */
  accountType: integerEnum(DestinationType),
  accountId: text(64),
  amount: positiveAmount,
  channel: z.enum(["bank", "crypto"]).default("crypto"),
  chain: text(32).optional(),
  asset: text(32).optional(),
  txHash: text(128).optional(),
  reference: memo.optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code")
    .optional(),
};

const kycSessionId = text(100).optional();

export const KycOutcome = z.object({
  ...common,
  kind: z.literal("kyc_outcome"),
  cardholderId: id("cardholder"),
  /** The submission that is decided. Default: the one that is under way. */
  sessionId: kycSessionId,
  status: integerEnum(KycStatus),
});

/** The provider needs documents of the applicant: the review goes on. */
export const KycDocuments = z.object({
  ...common,
  kind: z.literal("kyc_documents"),
  cardholderId: id("cardholder"),
  sessionId: kycSessionId,
});

export const CardApproval = z.object({
  ...common,
  kind: z.literal("card_approval"),
  cardId: id("card"),
  cardStatus: integerEnum(IssuanceDecision),
});

/** The way of a physical card to its Cardholder. */
export const CardShipping = z.object({
  ...common,
  kind: z.literal("card_shipping"),
  cardId: id("card"),
  /** Which plastic. Default: a replacement that is not activated yet, or else the active one. */
  plasticId: id("plastic").optional(),
  ...shippingReport,
});

export const DepositPending = z.object({
  ...common,
  kind: z.literal("deposit_pending"),
  depositId: id("deposit").optional(),
  ...depositDetails,
});

/** With a deposit's id, clears it. With details instead, a deposit that was never pending. */
export const DepositCleared = z.object({
  ...common,
  kind: z.literal("deposit_cleared"),
  depositId: id("deposit").optional(),
  ...z.object(depositDetails).partial().shape,
});

export const DepositReversed = z.object({
  ...common,
  kind: z.literal("deposit_reversed"),
  depositId: id("deposit"),
});

/** Debits the Card or Wallet of a cleared deposit, even below zero. */
export const DepositReturned = z.object({
  ...common,
  kind: z.literal("deposit_returned"),
  depositId: id("deposit"),
  /** A part of it: it stays cleared until all is returned. Default: all that is left of it. */
  amount: positiveAmount.optional(),
});

export const ProcessorEvent = z.discriminatedUnion("kind", [
  KycOutcome,
  KycDocuments,
  CardApproval,
  CardShipping,
  DepositPending,
  DepositCleared,
  DepositReversed,
  DepositReturned,
  ...cardNetworkEvents,
  ThreeDsChallenge,
  ThreeDsCompletion,
  ...tokenEventShapes,
  AccountChecked,
]);
export type ProcessorEvent = z.output<typeof ProcessorEvent>;

/** NOT_FOUND is not final: the event can be applied later, except for a `lastAttempt`. */
const RejectionCode = z.enum(["NOT_FOUND", "ILLEGAL_TRANSITION", "REFERENCE_EXISTS"]);
export type RejectionCode = z.output<typeof RejectionCode>;

/** A repeated event gets the same result. */
export const ProcessorResult = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("applied"),
    depositId: id("deposit").optional(),
    /** Identifies a deposit in suspense, which no Card or Wallet could take. */
    suspenseId: id("suspense").optional(),
    /** Whether at least a part of an authorization, increment or ATM withdrawal is approved. */
    approved: z.boolean().optional(),
    declineReason: AuthorizationDeclineReason.optional(),
    /** What was reported of a plastic that is stopped. */
    stoppedFor: z.enum(["lost", "stolen"]).optional(),
    /** The spend control that declined it. */
    controlId: id("control").optional(),
    /** Where the Program has an authorization endpoint: who approved or declined. */
    decidedBy: DecidedBy.optional(),
    authorizationId: authorizationReference.optional(),
    /** The approved, cleared or moved amount in minor units; 0 for a decline. */
    amount: amount.optional(),
    transId: id("transaction").optional(),
    /** What came of the address that the merchant sent. */
    avs: AvsCode.optional(),
    feeId: id("fee").optional(),
    /** A balance inquiry is answered the card's balances. */
    ...Balances.extend({ currency: integerEnum(Currency) }).partial().shape,
    chargebackId: id("dispute").optional(),
    disputeId: id("dispute").optional(),
    /** A challenge is answered with its id and the expiry of the code. */
    challengeId: id("challenge").optional(),
    expiresAt: timestamp.optional(),
    /** A completion is answered whether the code was right and in time. */
    authenticated: z.boolean().optional(),
    authenticationFailure: z.enum(["WRONG_CODE", "EXPIRED", "ATTEMPTS_EXHAUSTED"]).optional(),
    /** A token's request is answered how it was decided, a notice with the token's state. */
    tokenId: id("token").optional(),
    tokenState: TokenState.optional(),
    tokenOutcome: TokenOutcome.optional(),
  }),
  z.object({ outcome: z.literal("refused"), code: RejectionCode }),
]);
export type ProcessorResult = z.output<typeof ProcessorResult>;
export type Applied = Extract<ProcessorResult, { readonly outcome: "applied" }>;
