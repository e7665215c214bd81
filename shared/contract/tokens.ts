import * as z from "zod";
import { DecidedBy, decidedFields } from "./authorization-endpoint.ts";
import { FailedCheck, plasticFields } from "./card-network.ts";
import { id, listQuery, prose, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { AuthorizationDeclineReason } from "./transactions.ts";
import { TokenWallet } from "./verification.ts";

export const TokenNetwork = z.enum(["visa", "mastercard"]);
export type TokenNetwork = z.output<typeof TokenNetwork>;

/** Only an active one pays. The last two are for good. */
export const TokenState = z.enum(["verifying", "active", "suspended", "declined", "deleted"]);
export type TokenState = z.output<typeof TokenState>;

export const TokenDeviceType = z.enum(["phone", "watch", "tablet", "other"]);

export const TokenDevice = z.object({
  type: TokenDeviceType,
  /** As the wallet names it. */
  id: text(64).optional(),
  /** As its owner calls it. */
  name: text(64).optional(),
  /** A language tag: `en-GB`. */
  language: text(35).optional(),
  /** The address from which the token was asked for. */
  ip: text(45).optional(),
});

/** How sure the wallet is of who adds the Card. */
export const TokenRisk = z.enum(["green", "yellow", "red"]);

/** The wallet's id in the network. */
const requestorId = text(32);

/** What the network says of a token that it is asked for. */
const requestedFields = {
  requestorName: text(64).optional(),
  /** The last four digits of the token's number, which the platform never has. */
  tokenLastFour: z
    .string()
    .regex(/^\d{4}$/, "must be four digits")
    .optional(),
  device: TokenDevice.optional(),
  risk: TokenRisk.optional(),
};

/** The network's id of a token. It is unique in a network. */
export const tokenReference = text(64);

/** What can happen to a token: the names of its events. */
export const TokenTrigger = z.enum([
  "approve",
  "step_up",
  "decline",
  "confirm",
  "fail",
  "expire",
  "suspend",
  "resume",
  "delete",
  "close",
]);
export type TokenTrigger = z.output<typeof TokenTrigger>;

/** Who makes a step: the Program by the API, the wallet, the Cardholder by a passcode. */
export const TokenActor = z.enum(["program", "wallet", "cardholder", "platform"]);
export type TokenActor = z.output<typeof TokenActor>;

export const TokenView = z.object({
  /** The token's id. */
  tokenId: id("token"),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  state: TokenState,
  /** The card network whose token it is. */
  network: TokenNetwork,
  wallet: TokenWallet,
  requestorId,
  tokenReference,
  ...requestedFields,
  /** Who approved, stepped up or declined it. */
  decidedBy: DecidedBy,
  /** Only a declined one has it. */
  declineReason: AuthorizationDeclineReason.optional(),
  /** Why its last step was made, if that was given. */
  reason: z.string().optional(),
  dateCreated: timestamp,
  dateActivated: timestamp.optional(),
  /** When it was declined or deleted. */
  dateEnded: timestamp.optional(),
});
export type TokenView = z.output<typeof TokenView>;

export const TokenEventView = z.object({
  eventId: id("event"),
  trigger: TokenTrigger,
  /** The state that it led to. */
  state: TokenState,
  by: TokenActor,
  reason: z.string().optional(),
  /** The Card's transaction that records it. */
  transId: id("transaction"),
  dateCreated: timestamp,
});
export type TokenEventView = z.output<typeof TokenEventView>;

/** What is kept of a step that the Program makes. */
const TokenStep = z.object({ reason: prose(100).optional() });

export const TokenDecision = z.enum(["approve", "step_up", "decline"]);
export type TokenDecision = z.output<typeof TokenDecision>;

/** What the Program's server is asked. What the network did not send is absent. */
export const TokenQuestion = z.object({
  type: z.literal("token.requested"),
  /** The network's event. It is asked about once. */
  eventId: z.string(),
  /** The token's id. */
  tokenId: id("token"),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  wallet: TokenWallet,
  /** The card network whose token it is. */
  network: TokenNetwork,
  requestorId,
  device: TokenDevice.optional(),
  risk: TokenRisk.optional(),
  /** A later answer changes nothing. */
  deadline: timestamp,
});
export type TokenQuestion = z.output<typeof TokenQuestion>;

/** Strict: an unknown field makes it a bad answer. */
export const TokenAnswer = z.strictObject({ decision: TokenDecision, reason: prose(100).optional() });

/** How a wallet's request was decided at first: what a passcode came to is the token's `state`. */
export const TokenDecisionView = z.object({
  /** The token's id. */
  tokenId: id("token"),
  decidedBy: DecidedBy,
  outcome: z.enum(["approved", "step_up", "declined"]),
  ...decidedFields,
  /** An answer that came, or could be committed, only after the time for it. It changed nothing. */
  lateAnswer: z.object({ decision: TokenDecision, at: timestamp }).optional(),
});
export type TokenDecisionView = z.output<typeof TokenDecisionView>;

const some = <T extends z.ZodType>(one: T) => z.array(one).min(1).max(20).optional();

/** It fits a request that has one of the values of each list. An empty `when` fits all. */
export const TokenRule = z.strictObject({
  when: z.strictObject({
    wallet: some(TokenWallet),
    /** Requests without a risk fit none. */
    risk: some(TokenRisk),
    /** Requests without a device fit none. */
    deviceType: some(TokenDeviceType),
    requestorId: some(requestorId),
  }),
  then: TokenDecision,
});

/** Unknown fields are rejected with 422. */
export const TokenRules = z.strictObject({
  /** In order: the first that fits decides. */
  rules: z.array(TokenRule).max(50),
  /** Where none fits. */
  otherwise: TokenDecision.default("step_up"),
});
export type TokenRules = z.output<typeof TokenRules>;

/** What is given in the place of a passcode, by the Tenant's app. */
const TokenVerification = z.object({
  outcome: z.enum(["approved", "declined"]),
  reason: prose(100).optional(),
});

const route = routesWith({ api: "platform", function: "tokens" });

export const tokenRoutes = [
  route("GET /tokens", "read listTokens", "List the digital wallet tokens of Cards", {
    query: listQuery(
      ["dateCreated", "tokenId"],
      {
        cardId: text(64).optional(),
        cardholderId: text(64).optional(),
        state: TokenState.optional(),
        wallet: TokenWallet.optional(),
      },
      { orderBy: "dateCreated", sort: "desc" },
    ),
    items: TokenView,
  }),
  route("GET /tokens/{tokenId}", "read viewToken", "View a digital wallet token", { data: TokenView }),
  route("GET /tokens/{tokenId}/events", "read listTokenEvents", "List what happened to a token", {
    query: listQuery(["dateCreated"], {}),
    items: TokenEventView,
  }),
  route("GET /tokens/{tokenId}/decision", "read viewTokenDecision", "View how a token was decided", {
    data: TokenDecisionView,
  }),
  route("POST /tokens/{tokenId}/suspend", "write suspendToken", "Suspend a token: it pays no more", {
    body: TokenStep,
    data: TokenView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("POST /tokens/{tokenId}/resume", "write resumeToken", "Let a suspended token pay again", {
    body: TokenStep,
    data: TokenView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("POST /tokens/{tokenId}/verify", "write verifyToken", "Decide a token in place of its passcode", {
    body: TokenVerification,
    data: TokenView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("DELETE /tokens/{tokenId}", "write deleteToken", "Delete a token for good", {
    data: TokenView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("GET /token-rules", "read viewTokenRules", "View the rules by which tokens are decided", {
    data: TokenRules,
  }),
  route("PUT /token-rules", "write putTokenRules", "Replace the rules by which tokens are decided", {
    body: TokenRules,
    data: TokenRules,
  }),
] as const;

const common = {
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  cardId: id("card"),
  occurredAt: timestamp.optional(),
};

/**
 * A wallet asks for a token: the Program's rules approve it, decline it, or ask for a passcode. The
 * same token again gets the first answer.
 */
export const TokenRequest = z.object({
  ...common,
  kind: z.literal("token_request"),
  /** The card network whose token it is. */
  network: TokenNetwork,
  wallet: TokenWallet,
  requestorId,
  tokenReference,
  ...requestedFields,
  ...plasticFields,
  /** What the Cardholder has typed into the wallet is wrong: the request is declined. */
  failedCheck: FailedCheck.optional(),
});

/** What the wallet says of a token. */
export const TokenNoticeEvent = z.enum(["suspend", "resume", "delete"]);

/** A wallet has suspended, resumed or deleted a token. The same once more changes nothing. */
export const TokenNotice = z.object({
  ...common,
  kind: z.literal("token_notice"),
  tokenId: id("token"),
  event: TokenNoticeEvent,
});

/** The Cardholder has entered a passcode. Five wrong ones decline the token. */
export const TokenPasscode = z.object({
  ...common,
  kind: z.literal("token_passcode"),
  tokenId: id("token"),
  code: text(64),
});

export const tokenEventShapes = [TokenRequest, TokenNotice, TokenPasscode] as const;

export const TokenOutcome = z.enum(["approved", "step_up", "declined"]);
export type TokenOutcome = z.output<typeof TokenOutcome>;

export const SandboxTokenRequest = z.object({
  wallet: TokenWallet,
  /** The card network whose token it is. */
  network: TokenNetwork.default("visa"),
  requestorId: requestorId.default("40010030273"),
  /** The same once more gets the first answer. Default: a new one. */
  tokenReference: tokenReference.optional(),
  ...requestedFields,
  /** Whose number and expiry were typed into the wallet. Default: an app gave the Card. */
  plasticId: plasticFields.plasticId,
});

export const SandboxTokenResponse = z.object({
  /** The token's id. */
  tokenId: id("token"),
  /** As it was decided. */
  state: TokenState,
  outcome: TokenOutcome,
  declineReason: AuthorizationDeclineReason.optional(),
  decidedBy: DecidedBy,
});

const sandboxRoute = routesWith({ api: "sandbox", function: "sandbox" });

export const tokenSandboxRoutes = [
  sandboxRoute(
    "POST /cards/{cardId}/token-requests",
    "write requestToken",
    "Add a Card to a digital wallet",
    { body: SandboxTokenRequest, data: SandboxTokenResponse, errors: ["ILLEGAL_TRANSITION"] },
  ),
  sandboxRoute(
    "POST /tokens/{tokenId}/passcode",
    "write enterTokenPasscode",
    "Enter the passcode of a token. A wrong or expired one answers 422",
    { body: z.object({ code: text(64) }), data: TokenView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  sandboxRoute(
    "POST /tokens/{tokenId}/wallet-event",
    "write sendWalletEvent",
    "Suspend, resume or delete a token, as its wallet does",
    { body: z.object({ event: TokenNoticeEvent }), data: TokenView, errors: ["ILLEGAL_TRANSITION"] },
  ),
] as const;
