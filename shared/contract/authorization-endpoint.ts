import * as z from "zod";
import { EntryMode } from "./card-network.ts";
import { Currency } from "./enums.ts";
import { authorizationReference } from "./network-message.ts";
import {
  amount,
  id,
  integerEnum,
  maximumAmountMinor,
  positiveAmount,
  prose,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";
import { presentedView } from "./verification.ts";

export const StandInLimit = z.strictObject({
  /** Approves up to this amount, in minor units, and declines more. */
  approveUpTo: positiveAmount,
});

/** What is decided without an answer of the receiver. */
export const StandIn = z.union(
  [z.enum(["decline", "approve"]), StandInLimit],
  'must be "decline", "approve" or {"approveUpTo": amount}',
);
export type StandIn = z.output<typeof StandIn>;

const standIn = StandIn.default("decline");

/** Each reason has a policy of its own. */
export const StandIns = z.strictObject({
  /** The deadline passed without an answer. */
  timeout: standIn,
  /** The receiver was not reached, or closed the connection. */
  connectionError: standIn,
  /** Any status but 200, or a body that is no valid answer. */
  badAnswer: standIn,
});

export type StandIns = z.output<typeof StandIns>;

/** What a server can be asked about. */
export const QuestionType = z.enum(["authorization", "token", "authentication"]);
export type QuestionType = z.output<typeof QuestionType>;

const tokenStandIn = z.enum(["approve", "step_up", "decline"]).default("decline");

/** What is decided of a wallet's request for a token without an answer of the receiver. */
export const TokenStandIns = z.strictObject({
  /** The deadline passed without an answer. */
  timeout: tokenStandIn,
  /** The receiver was not reached, or closed the connection. */
  connectionError: tokenStandIn,
  /** Any status but 200, or a body that is no valid answer. */
  badAnswer: tokenStandIn,
});
export type TokenStandIns = z.output<typeof TokenStandIns>;

const authenticationStandIn = z.enum(["approve", "challenge", "attempt", "decline"]).default("decline");

/** What is decided of a 3-D Secure authentication without an answer of the receiver. */
export const AuthenticationStandIns = z.strictObject({
  /** The deadline passed without an answer. */
  timeout: authenticationStandIn,
  /** The receiver was not reached, or closed the connection. */
  connectionError: authenticationStandIn,
  /** Any status but 200, or a body that is no valid answer. */
  badAnswer: authenticationStandIn,
});
export type AuthenticationStandIns = z.output<typeof AuthenticationStandIns>;

const moreQuestions = {
  /** What the server is asked about. Default: authorizations alone. */
  questions: z
    .array(QuestionType)
    .min(1)
    .max(QuestionType.options.length)
    .refine((types) => new Set(types).size === types.length, "must name each once")
    .optional(),
  /** As `standIn`, for requests for tokens. Without it, they are declined. */
  tokenStandIn: TokenStandIns.optional(),
  /** As `standIn`, for authentications. Without it, they are declined. */
  authenticationStandIn: AuthenticationStandIns.optional(),
};

/** Replaces the whole endpoint, but for its secret. Unknown fields are rejected with 422. */
export const AuthorizationEndpointPut = z.strictObject({
  /** HTTPS and a public host: `https://decisions.example.com/authorizations`. */
  url: text(2048),
  deadlineMs: z.int().min(500).max(3_000).default(2_000),
  standIn: StandIns.prefault({}),
  ...moreQuestions,
});

export const AuthorizationEndpointView = z.object({
  url: z.string(),
  deadlineMs: z.int(),
  standIn: StandIns,
  /** What the server is asked about. Absent where it was not said: authorizations alone. */
  questions: z.array(QuestionType).optional(),
  tokenStandIn: TokenStandIns.optional(),
  authenticationStandIn: AuthenticationStandIns.optional(),
  dateCreated: timestamp,
  /** The replaced secret also signs until then. */
  previousSecretExpiresAt: timestamp.optional(),
});
export type AuthorizationEndpointView = z.output<typeof AuthorizationEndpointView>;

export const QuestionMerchant = z.object({
  /** As the network sends it. */
  name: z.string().optional(),
  /** The network's id of the merchant. */
  id: z.string().optional(),
  mcc: z.string().optional(),
  city: z.string().optional(),
  /** ISO 3166-1 alpha-2. */
  country: z.string().optional(),
});

/** What the receiver is asked. What the network did not send is absent. */
export const AuthorizationQuestion = z.object({
  /** `authorization.test` comes from a ping: its authorization does not exist. */
  type: z.enum(["authorization.requested", "authorization.test"]),
  /** An increment adds to the authorization with this `authorizationId`. */
  kind: z.enum(["authorization", "increment", "atm_withdrawal"]),
  /** The network's event. It is asked about once. */
  eventId: z.string(),
  /** The network's reference; of an ATM withdrawal without one, the platform's own. */
  authorizationId: z.string(),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  /** To approve, in minor units of the Card's currency. It is reserved already. */
  amount: positiveAmount,
  /** What an ATM withdrawal costs, in minor units: charged, and reserved, on top of `amount`. */
  feeAmount: amount.optional(),
  currency: integerEnum(Currency),
  /** The billed amount, in minor units of `merchantCurrency`. */
  merchantAmount: z.int().min(0).max(maximumAmountMinor).optional(),
  /** ISO 4217 numeric code: 978 is EUR. */
  merchantCurrency: z.string().optional(),
  /** In minor units, before amount and fee were reserved. */
  availableBalance: amount,
  /** Where the card is used. */
  merchant: QuestionMerchant,
  entryMode: EntryMode.optional(),
  ...presentedView,
  /** Whether the answer can approve less. */
  partialApprovalSupported: z.boolean(),
  /** A later answer changes nothing. */
  deadline: timestamp,
});
export type AuthorizationQuestion = z.output<typeof AuthorizationQuestion>;

export const ReceiverApproval = z.strictObject({
  /** Approves. */
  decision: z.literal("approve"),
  /** In minor units. Less than the question's only if `partialApprovalSupported`. Default: all. */
  amount: positiveAmount.optional(),
});
export const ReceiverDecline = z.strictObject({
  /** Declines. */
  decision: z.literal("decline"),
  /** The record of the decision keeps it. */
  reason: prose(100).optional(),
});

/** Strict: an unknown field makes it a bad answer. */
export const AuthorizationAnswer = z.discriminatedUnion("decision", [ReceiverApproval, ReceiverDecline]);

/** `platform`: without a question. `stand_in`: by the policy, without the receiver's answer. */
export const DecidedBy = z.enum(["platform", "receiver", "stand_in"]);
export type DecidedBy = z.output<typeof DecidedBy>;

/**
 * Why the stand-in decided. `circuit_open`: the receiver failed repeatedly and was not asked.
 * `lost`: the platform lost the question; it is declined.
 */
export const StandInReason = z.enum(["timeout", "connection_error", "bad_answer", "circuit_open", "lost"]);
export type StandInReason = z.output<typeof StandInReason>;

export const LateAnswer = z.object({
  /** What it said. */
  decision: z.enum(["approve", "decline"]),
  /** When it came. */
  at: timestamp,
});

/** Why and when a question was decided. */
export const decidedFields = {
  /** The receiver's, why the stand-in decided (`timeout`, `lost`), or the `declineReason`. */
  reason: z.string().optional(),
  /** What was wrong with the answer or the connection. */
  detail: z.string().optional(),
  /** When it arrived at the platform. If you were not asked, it is `decidedAt`. */
  receivedAt: timestamp,
  /** When the question was sent. Absent if you were not asked. */
  askedAt: timestamp.optional(),
  /** When the answer arrived. Absent if it was late, or none came. */
  answeredAt: timestamp.optional(),
  /** When it was decided. */
  decidedAt: timestamp,
};

const decisionFields = {
  decidedBy: DecidedBy,
  /** `approved`, also of a part. */
  outcome: z.enum(["approved", "declined"]),
  /** Approved, in minor units; 0 for a decline. Absent if the Program had no endpoint. */
  amount: amount.optional(),
  ...decidedFields,
  /** An answer that came, or could be committed, only after the time for it. It changed nothing. */
  lateAnswer: LateAnswer.optional(),
};

export const IncrementDecisionView = z.object({
  /** The event that asks for the increment. */
  eventId: z.string(),
  ...decisionFields,
});

/** How an authorization was decided. */
export const DecisionView = z.object({
  ...decisionFields,
  ...presentedView,
  /** Those that were asked about and are decided: the last 50, the oldest first. */
  increments: z.array(IncrementDecisionView).optional(),
});

export const AuthorizationEndpointPutView = AuthorizationEndpointView.extend({
  /** Standard Webhooks, `whsec_…`. Returned only when there was no endpoint before. */
  secret: z.string().optional(),
});

/** The secret (Standard Webhooks, `whsec_…`) is returned only in this answer. */
export const AuthorizationEndpointSecretView = AuthorizationEndpointView.extend({ secret: z.string() });

export const AuthorizationPingResponse = z.object({
  /** The question that was sent. */
  question: AuthorizationQuestion,
  /** What was answered within the deadline, or why nothing valid was. */
  outcome: z.enum(["approved", "declined", "timeout", "connection_error", "bad_answer"]),
  /** The approved amount, in minor units. */
  amount: positiveAmount.optional(),
  /** The receiver's, for a decline. */
  reason: z.string().optional(),
  /** What was wrong with the answer or the connection. */
  detail: z.string().optional(),
  latencyMs: z.int(),
});

const route = routesWith({ api: "platform", function: "controls" });

export const authorizationEndpointRoutes = [
  route(
    "PUT /authorization-endpoint",
    "write putAuthorizationEndpoint",
    "Register or replace the Program's authorization endpoint",
    { body: AuthorizationEndpointPut, data: AuthorizationEndpointPutView },
  ),
  route(
    "GET /authorization-endpoint",
    "read viewAuthorizationEndpoint",
    "View the Program's authorization endpoint",
    { data: AuthorizationEndpointView, errors: ["NOT_FOUND"] },
  ),
  route(
    "POST /authorization-endpoint/rotate-secret",
    "write rotateAuthorizationSecret",
    "Rotate the authorization endpoint's secret. The replaced secret also signs for 24 hours",
    { data: AuthorizationEndpointSecretView, errors: ["NOT_FOUND"] },
  ),
  route(
    "POST /authorization-endpoint/ping",
    "write pingAuthorizationEndpoint",
    "Ask the authorization endpoint a test question",
    { data: AuthorizationPingResponse, errors: ["NOT_FOUND"] },
  ),
  route(
    "DELETE /authorization-endpoint",
    "write deleteAuthorizationEndpoint",
    "Delete the Program's authorization endpoint",
    { data: z.object({}), errors: ["NOT_FOUND"] },
  ),
  route(
    "GET /authorizations/{authorizationId}/decision",
    "read viewDecision",
    "View how an authorization was decided",
    { parameters: { authorizationId: authorizationReference }, data: DecisionView },
  ),
] as const;
