import * as z from "zod";
import { EntryMode } from "./card-network.ts";
import { Currency } from "./enums.ts";
import {
  amount,
  id,
  integerEnum,
  maximumAmountMinor,
  positiveAmount,
  text,
  timestamp,
} from "./primitives.ts";

/** What is decided without an answer of the receiver. Amounts are in minor units. */
export const StandIn = z.union([
  z.enum(["decline", "approve"]),
  /** Approves up to this amount, and declines more. */
  z.strictObject({ approveUpTo: positiveAmount }),
]);
export type StandIn = z.output<typeof StandIn>;

const standIn = StandIn.default("decline");

/** For each reason separately. */
export const StandIns = z.strictObject({
  /** The deadline passed without an answer. */
  timeout: standIn,
  /** The receiver was not reached, or closed the connection. */
  connectionError: standIn,
  /** Any status but 200, or a body that is no valid answer. */
  badAnswer: standIn,
});

export type StandIns = z.output<typeof StandIns>;

/** Replaces the whole endpoint, but for its secret. */
export const AuthorizationEndpointPut = z.strictObject({
  /** HTTPS and a public host: `https://decisions.example.com/authorizations`. */
  url: text(2048),
  /** How long an authorization waits for the answer, from its arrival at the platform. */
  deadlineMs: z.int().min(500).max(3_000).default(2_000),
  standIn: StandIns.prefault({}),
});

export const AuthorizationEndpointView = z.object({
  url: z.string(),
  deadlineMs: z.int(),
  standIn: StandIns,
  dateCreated: timestamp,
  /** Until when the replaced secret also signs. */
  previousSecretExpiresAt: timestamp.optional(),
});
export type AuthorizationEndpointView = z.output<typeof AuthorizationEndpointView>;

/** What the receiver is asked. What the network did not send is absent. */
export const AuthorizationQuestion = z.object({
  /** `authorization.test` comes from a ping: its authorization does not exist. */
  type: z.enum(["authorization.requested", "authorization.test"]),
  /** The network's event. It is asked about once. */
  eventId: z.string(),
  authorizationId: z.string(),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  /** To approve, in minor units of the Card's currency. It is reserved already. */
  amount: positiveAmount,
  currency: integerEnum(Currency),
  /** The billed amount, in hundredths of `merchantCurrency`. */
  merchantAmount: z.int().min(0).max(maximumAmountMinor).optional(),
  /** ISO 4217 numeric code: 978 is EUR. */
  merchantCurrency: z.string().optional(),
  /** Before the amount was reserved. */
  availableBalance: amount,
  merchant: z.object({
    name: z.string().optional(),
    id: z.string().optional(),
    mcc: z.string().optional(),
    city: z.string().optional(),
    country: z.string().optional(),
  }),
  entryMode: EntryMode.optional(),
  /** Whether the answer can approve less. */
  partialApprovalSupported: z.boolean(),
  /** A later answer changes nothing. */
  deadline: timestamp,
});
export type AuthorizationQuestion = z.output<typeof AuthorizationQuestion>;

const Approval = z.strictObject({
  decision: z.literal("approve"),
  /** Less than was asked, if `partialApprovalSupported`. Default: all of it. */
  amount: positiveAmount.optional(),
});
const Refusal = z.strictObject({
  decision: z.literal("decline"),
  /** For the record of the decision. */
  reason: text(100).optional(),
});

/** Strict: an unknown field makes it a bad answer. */
export const AuthorizationAnswer = z.discriminatedUnion("decision", [Approval, Refusal]);
export type AuthorizationAnswer = z.output<typeof AuthorizationAnswer>;

/** `platform`: without a question. `stand_in`: by the policy, without the receiver's answer. */
export const DecidedBy = z.enum(["platform", "receiver", "stand_in"]);
export type DecidedBy = z.output<typeof DecidedBy>;

/**
 * Why the stand-in decided. `circuit_open`: the receiver failed repeatedly and was not asked.
 * `lost`: the platform lost the question; it is declined.
 */
export const StandInReason = z.enum(["timeout", "connection_error", "bad_answer", "circuit_open", "lost"]);
export type StandInReason = z.output<typeof StandInReason>;

/** An authorization's decision. */
export const DecisionView = z.object({
  decidedBy: DecidedBy,
  outcome: z.enum(["approved", "declined"]),
  /** The approved amount in minor units; 0 for a decline. */
  amount,
  /** The receiver's, the `declineReason`, or why the stand-in decided: `timeout`, `lost`. */
  reason: z.string().optional(),
  /** What was wrong with the answer or the connection. */
  detail: z.string().optional(),
  receivedAt: timestamp,
  askedAt: timestamp.optional(),
  answeredAt: timestamp.optional(),
  decidedAt: timestamp,
  /** An answer after the deadline. It changed nothing. */
  lateAnswer: z.object({ decision: z.enum(["approve", "decline"]), at: timestamp }).optional(),
});
export type DecisionView = z.output<typeof DecisionView>;
