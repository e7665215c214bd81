import * as z from "zod";
import { DecidedBy, decidedFields, QuestionMerchant } from "./authorization-endpoint.ts";
import { Currency } from "./enums.ts";
import {
  country,
  id,
  integerEnum,
  listQuery,
  maximumAmountMinor,
  mccOrRange,
  positiveAmount,
  prose,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";
import { merchantFields } from "./settled.ts";
import { CheckResult } from "./verification.ts";

/** A challenge waits for the Cardholder; all others are final. */
export const AuthenticationState = z.enum([
  "challenged",
  "authenticated",
  "exempted",
  "attempted",
  "rejected",
  "failed",
  "expired",
]);
export type AuthenticationState = z.output<typeof AuthenticationState>;

/** Where the Cardholder pays; `merchant_initiated` without the Cardholder. */
export const AuthenticationChannel = z.enum(["browser", "app", "merchant_initiated"]);
export type AuthenticationChannel = z.output<typeof AuthenticationChannel>;

/** Why the merchant asks for no challenge. */
export const Exemption = z.enum([
  "low_value",
  "trusted_merchant",
  "transaction_risk",
  "recurring",
  "secure_corporate",
  "delegated",
]);
export type Exemption = z.output<typeof Exemption>;

/** What the platform compared: `not_checked` where the Cardholder has no such value. */
const comparedAddress = { addressLine: CheckResult, postalCode: CheckResult };

/** `passcode` is entered on the merchant's page; `app` is answered in the Tenant's own app. */
export const ChallengeMethod = z.enum(["passcode", "app"]);
export type ChallengeMethod = z.output<typeof ChallengeMethod>;

/**
 * `platform`: the Card's status, or the time. `rule`: the Program's rules. `receiver`, `stand_in`:
 * as for authorizations. `cardholder`: the passcode. `program`: the outcome by API.
 */
export const AuthenticationDecidedBy = z.enum([
  "platform",
  "rule",
  "receiver",
  "stand_in",
  "cardholder",
  "program",
]);
export type AuthenticationDecidedBy = z.output<typeof AuthenticationDecidedBy>;

export const AuthenticationDevice = z.strictObject({
  type: z.enum(["browser", "phone", "tablet", "other"]).optional(),
  id: text(64).optional(),
  name: text(100).optional(),
  /** BCP 47: `en-GB`. */
  language: text(35).optional(),
  /** IPv4 or IPv6. */
  ip: text(45).optional(),
  userAgent: text(512).optional(),
});

export const AuthenticationChallenge = z.object({
  method: ChallengeMethod,
  /** When it ends without an answer. */
  expiresAt: timestamp,
});

/** What a question and a view say of the purchase, as the network sends it. */
const purchase = {
  currency: integerEnum(Currency),
  /** The billed amount, in minor units of `merchantCurrency`. */
  merchantAmount: z.int().min(0).max(maximumAmountMinor).optional(),
  /** ISO 4217 numeric code: 978 is EUR. */
  merchantCurrency: z.string().optional(),
  merchant: QuestionMerchant,
  channel: AuthenticationChannel,
  device: AuthenticationDevice.optional(),
};

const shown = {
  authenticationId: id("authentication"),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  /** The number that was used. */
  plasticId: id("plastic").optional(),
  /** The wallet token that was used. */
  tokenId: id("token").optional(),
  state: AuthenticationState,
  /** In minor units of the Card's currency. Absent where the network did not say it. */
  amount: z.int().min(0).max(maximumAmountMinor).optional(),
  ...purchase,
  /** What the merchant asked for. */
  exemptions: z.array(Exemption),
  /** The billing address, compared with the Cardholder's. */
  verification: z.object(comparedAddress),
  decidedBy: AuthenticationDecidedBy,
  /** Why: the Card's state, the time, or what the receiver said. */
  reason: z.string().optional(),
  /** What the network is told: two digits by the card's network. Absent while it is challenged. */
  eci: z.string().optional(),
  /** Whether the issuer bears fraud of a purchase with it. */
  liabilityShift: z.boolean(),
  /** Absent where none was made. It stays after its end. */
  challenge: AuthenticationChallenge.optional(),
  dateCreated: timestamp,
  dateDecided: timestamp.optional(),
  /** The purchase that used it. */
  authorizationId: z.string().optional(),
};

export const AuthenticationView = z.object(shown);
export type AuthenticationView = z.output<typeof AuthenticationView>;

/** What the Program's server is asked. What the network did not send is absent. */
export const AuthenticationQuestion = z.object({
  type: z.literal("authentication.requested"),
  /** The question's own id. It is asked once. */
  eventId: z.string(),
  authenticationId: id("authentication"),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  /** The number that is used. */
  plasticId: z.string().optional(),
  /** The wallet token that is used. */
  tokenId: z.string().optional(),
  /** In minor units of the Card's currency. */
  amount: z.int().min(0).max(maximumAmountMinor).optional(),
  ...purchase,
  /** What the merchant asks for. */
  exemptions: z.array(Exemption),
  /** The billing address, compared with the Cardholder's. */
  verification: z.object(comparedAddress),
  /** A later answer changes nothing. */
  deadline: timestamp,
});
export type AuthenticationQuestion = z.output<typeof AuthenticationQuestion>;

/** Strict: an unknown field makes it a bad answer. */
export const AuthenticationAnswer = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal(["approve", "decline"]), reason: prose(100).optional() }),
  z.strictObject({
    decision: z.literal("challenge"),
    /** Default: by passcode where the Card has a listener, or else in the app. */
    method: ChallengeMethod.optional(),
    reason: prose(100).optional(),
  }),
]);

/** How an authentication was decided at first: the outcome of a challenge is its `state`. */
export const AuthenticationDecisionView = z.object({
  authenticationId: id("authentication"),
  decidedBy: DecidedBy,
  outcome: z.enum(["approved", "challenged", "attempted", "declined"]),
  ...decidedFields,
  /** An answer that came, or could be committed, only after the time for it. It changed nothing. */
  lateAnswer: z.object({ decision: z.enum(["approve", "challenge", "decline"]), at: timestamp }).optional(),
});
export type AuthenticationDecisionView = z.output<typeof AuthenticationDecisionView>;

export const AuthenticationOutcome = z.object({ outcome: z.enum(["approved", "declined"]) });

/** All that it names must fit. An empty one fits always. */
export const AuthenticationRuleWhen = z.strictObject({
  /** At most this amount, in minor units of the Card's currency. */
  amountUpTo: positiveAmount.optional(),
  /** A merchant category code, or a range: `5541`, `5500-5599`. */
  mcc: mccOrRange.optional(),
  /** The merchant's: ISO 3166-1 alpha-2. */
  country: country.optional(),
  channel: AuthenticationChannel.optional(),
  /** One that the merchant asks for. */
  exemption: Exemption.optional(),
  /** What the comparison of the postal code came to. */
  postalCode: CheckResult.optional(),
});

export const AuthenticationRuleThen = z.enum(["approve", "challenge", "decline"]);
export type AuthenticationRuleThen = z.output<typeof AuthenticationRuleThen>;

export const AuthenticationRule = z.strictObject({
  when: AuthenticationRuleWhen,
  then: AuthenticationRuleThen,
});
export type AuthenticationRule = z.output<typeof AuthenticationRule>;

/** Replaces all rules. The first one that fits decides. */
export const AuthenticationRules = z.strictObject({
  rules: z.array(AuthenticationRule).max(100),
  /** Where no rule fits. */
  otherwise: AuthenticationRuleThen.default("challenge"),
});
export type AuthenticationRules = z.output<typeof AuthenticationRules>;

const route = routesWith({ api: "platform", function: "authentications" });

export const authenticationRoutes = [
  route("GET /authentications", "read listAuthentications", "List 3-D Secure authentications", {
    query: listQuery(["dateCreated", "authenticationId"], {
      cardId: text(64).optional(),
      cardholderId: text(64).optional(),
      state: AuthenticationState.optional(),
    }),
    items: AuthenticationView,
  }),
  route(
    "GET /authentications/{authenticationId}",
    "read viewAuthentication",
    "View a 3-D Secure authentication",
    { data: AuthenticationView },
  ),
  route(
    "GET /authentications/{authenticationId}/decision",
    "read viewAuthenticationDecision",
    "View how an authentication was decided",
    { data: AuthenticationDecisionView },
  ),
  routesWith({ api: "platform", function: "authentications", movesFunds: true })(
    "POST /authentications/{authenticationId}/outcome",
    "write decideAuthentication",
    "Decide a challenge that the Cardholder has answered in your app",
    { body: AuthenticationOutcome, data: AuthenticationView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  route(
    "GET /authentication-rules",
    "read viewAuthenticationRules",
    "View the rules that decide authentications",
    { data: AuthenticationRules },
  ),
  route(
    "PUT /authentication-rules",
    "write putAuthenticationRules",
    "Replace the rules that decide authentications",
    { body: AuthenticationRules, data: AuthenticationRules },
  ),
] as const;

/** A merchant's request, as its access control server hands it over. */
export const SandboxAuthentication = z.object({
  /** In minor units of the Card's currency. */
  amount: positiveAmount,
  ...merchantFields,
  channel: AuthenticationChannel.default("browser"),
  exemptions: z.array(Exemption).max(6).default([]),
  /** As the payer typed it: it is compared, and not kept. */
  billingAddress: z
    .strictObject({ line1: prose(200).optional(), postalCode: text(20).optional() })
    .optional(),
  device: AuthenticationDevice.optional(),
  /** The number that is used. Default: the active one, or else the newest. */
  plasticId: id("plastic").optional(),
  /** The wallet token that is used in its place. */
  tokenId: id("token").optional(),
});

/** What the merchant's side gets. */
export const SandboxAuthenticationView = z.object({
  authenticationId: id("authentication"),
  state: AuthenticationState,
  /** Absent while it is challenged. */
  eci: z.string().optional(),
  /** The proof for the purchase, 20 bytes in base64: authenticated, attempted or exempted. */
  cavv: z.string().optional(),
  challenge: AuthenticationChallenge.optional(),
});
export type SandboxAuthenticationView = z.output<typeof SandboxAuthenticationView>;

const sandboxRoute = routesWith({ api: "sandbox", function: "sandbox" });

export const authenticationSandboxRoutes = [
  sandboxRoute(
    "POST /cards/{cardId}/authentications",
    "write requestAuthentication",
    "Authenticate a purchase by 3-D Secure, as a merchant does before it",
    {
      creates: "authenticationId",
      body: SandboxAuthentication,
      data: SandboxAuthenticationView,
      errors: ["ILLEGAL_TRANSITION"],
    },
  ),
  sandboxRoute(
    "GET /authentications/{authenticationId}/result",
    "read viewMerchantAuthentication",
    "View what the merchant's side is told of an authentication",
    { data: SandboxAuthenticationView },
  ),
  sandboxRoute(
    "POST /authentications/{authenticationId}/passcode",
    "write enterPasscode",
    "Enter the Cardholder's passcode. A wrong one answers 422",
    { body: z.object({ code: text(64) }), data: SandboxAuthenticationView, errors: ["ILLEGAL_TRANSITION"] },
  ),
] as const;
