import * as z from "zod";
import { merchantFields } from "./card-network.ts";
import { besideOtherFaults, id, listQuery, positiveAmount, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** A Card has at most so many, or a Cardholder (legacy). */
export const maximumOtpListeners = 10;

/** One subscription has no more. Beyond, the oldest cannot be retrieved any more. */
export const maximumOpenChallenges = 20;

/** The credential of a subscription: 256 random bits in base64url. */
export const otpToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be an OTP token");

/** As the Cardholder reads it. */
export const otpCode = z.string().regex(/^\d{6}$/, "must be six digits");

/** Does not reveal the token, and requires an API key. */
export const otpListenerId = z.string().regex(/^[0-9a-f]{64}$/, "must be a listener id");

interface Subject {
  readonly cardId?: unknown;
  readonly cardholderId?: unknown;
}

/** Requires exactly one of `cardId` and `cardholderId`. If both are given, both are faults. */
function withOneSubject<S extends z.ZodObject>(schema: S): S {
  const isGiven = (fields: Subject) => [fields.cardId, fields.cardholderId].map((id) => id !== undefined);
  const hasOne = (fields: Subject) => isGiven(fields).some(Boolean);
  const hasBoth = (fields: Subject) => isGiven(fields).every(Boolean);
  const fault = (field: string, message: string) => ({ path: [field], message, when: besideOtherFaults });
  return schema
    .refine(hasOne, fault("cardId", "is required, unless a cardholderId is given in its place"))
    .refine((fields) => !hasBoth(fields), fault("cardId", "must not be given with a cardholderId"))
    .refine((fields) => !hasBoth(fields), fault("cardholderId", "must not be given with a cardId"));
}

export const OtpSubscribe = withOneSubject(
  z.object({
    /** Recommended. One subscription for one Card. */
    cardId: text(64).optional(),
    /** Legacy. One subscription for all Cards of the Cardholder. */
    cardholderId: text(64).optional(),
    webhookUrl: text(2048).optional(),
  }),
);

export const OtpSubscription = z.object({
  /** Returned only once; the platform stores its hash. */
  token: otpToken,
  /** Identifies the subscription, for removing it without its token. */
  listenerId: otpListenerId,
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  webhookUrl: z.string().optional(),
  /** Always null: subscriptions do not expire. */
  expiresAt: z.null(),
  /** Signs the callbacks (Standard Webhooks). Returned only once. Absent without a `webhookUrl`. */
  secret: z.string().optional(),
  dateCreated: timestamp,
});

/** A subscription without its token and secret. */
export const OtpListenerView = z.object({
  listenerId: otpListenerId,
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  /** The host of the `webhookUrl`, with its port unless that is 443. */
  webhookHost: z.string().optional(),
  dateCreated: timestamp,
});
export type OtpListenerView = z.output<typeof OtpListenerView>;

/**
 * `pending`: no challenge yet, or none for months. `received`: `code` is valid until `expiresAt`.
 * `expired`: the time or the attempts are used up. `consumed`: the code was used.
 */
export const otpStatus = z.enum(["pending", "received", "expired", "consumed"]);

export const OtpRetrieveResponse = z.object({
  status: otpStatus,
  /** Only the status `received` has it. */
  code: otpCode.optional(),
  /** When the code expires. Null without a code. */
  expiresAt: timestamp.nullable(),
});
export type OtpRetrieveResponse = z.output<typeof OtpRetrieveResponse>;

/** A challenge that can be answered now. The purchase is described as far as it is known. */
export const OtpChallenge = z.object({
  challengeId: id("challenge"),
  cardId: id("card"),
  /** Always `received`. */
  status: otpStatus,
  code: otpCode,
  expiresAt: timestamp,
  amount: positiveAmount.optional(),
  /** What waits is a digital wallet token, in the place of a purchase. */
  tokenId: id("token").optional(),
  ...merchantFields,
  dateCreated: timestamp,
});
export type OtpChallenge = z.output<typeof OtpChallenge>;

/** The complete body of a callback. Fetch the code of this Card or Cardholder. */
export const OtpCallback = z.union([
  z.strictObject({ cardId: id("card") }),
  z.strictObject({ cardholderId: id("cardholder") }),
]);
export type OtpCallback = z.output<typeof OtpCallback>;

const route = routesWith({ api: "platform", function: "otp" });

export const otpRoutes = [
  route(
    "POST /otp/listeners",
    "reveal subscribe",
    "Subscribe to the one-time passcodes of a Card, or of a Cardholder's Cards (legacy)",
    {
      creates: "listenerId",
      body: OtpSubscribe,
      data: OtpSubscription,
      errors: ["NOT_FOUND", "LIMIT_REACHED"],
    },
  ),
  route(
    "GET /otp/listeners",
    "reveal listListeners",
    "List the subscriptions to the one-time passcodes of a Card, or of a Cardholder (legacy)",
    {
      query: withOneSubject(
        listQuery(["dateCreated", "listenerId"], {
          cardId: text(64).optional(),
          cardholderId: text(64).optional(),
        }),
      ),
      items: OtpListenerView,
      errors: ["NOT_FOUND"],
    },
  ),
  route("DELETE /otp/listeners/{listenerId}", "reveal removeListener", "Remove a subscription by its id", {
    parameters: { listenerId: otpListenerId },
    data: z.object({ listenerId: otpListenerId }),
  }),
  route(
    "GET /otp/{token}",
    "reveal retrieveOtp",
    "Retrieve the one-time passcode of a subscription: that of its newest open challenge",
    { parameters: { token: otpToken }, data: OtpRetrieveResponse },
  ),
  route(
    "GET /otp/challenges/{token}",
    "reveal listChallenges",
    "List the open challenges of a subscription, each with its one-time passcode",
    {
      parameters: { token: otpToken },
      query: listQuery(["dateCreated", "expiresAt", "challengeId"], {}),
      items: OtpChallenge,
    },
  ),
  route("DELETE /otp/{token}", "reveal unsubscribe", "Remove a subscription by its token", {
    parameters: { token: otpToken },
    data: z.object({}),
  }),
] as const;

const common = {
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  occurredAt: timestamp.optional(),
};

const challengeDetails = {
  /** How many seconds the code is valid, from `occurredAt` or, without it, from now. */
  expiresInSeconds: z.int().min(1).max(86_400).default(300),
  /** The purchase's amount in minor units of the card's currency: 1050 is 10.50. */
  amount: positiveAmount.optional(),
  ...merchantFields,
};

/**
 * A purchase without the card: the platform creates a code and alerts the card's subscribers.
 * Rejected in a Program without 3-D Secure, and for a card that is not Active.
 */
export const ThreeDsChallenge = z.object({
  ...common,
  kind: z.literal("three_ds_challenge"),
  cardId: id("card"),
  /** Default: a new one. */
  challengeId: id("challenge").optional(),
  ...challengeDetails,
});

/** The Cardholder has entered a code. Five wrong codes void the challenge. */
export const ThreeDsCompletion = z.object({
  ...common,
  kind: z.literal("three_ds_completion"),
  challengeId: id("challenge"),
  code: text(64),
});

export const SandboxChallenge = z.object(challengeDetails);

export const SandboxChallengeResponse = z.object({
  challengeId: id("challenge"),
  expiresAt: timestamp,
  /** The authentication that waits for the code. */
  authenticationId: id("authentication"),
});

export const SandboxCompletion = z.object({ code: text(64) });

const sandboxRoute = routesWith({ api: "sandbox", function: "sandbox" });

export const threeDsRoutes = [
  sandboxRoute(
    "POST /cards/{cardId}/three-ds-challenges",
    "write challenge",
    "Request a one-time passcode from a Card's Cardholder",
    { body: SandboxChallenge, data: SandboxChallengeResponse, errors: ["ILLEGAL_TRANSITION"] },
  ),
  sandboxRoute(
    "POST /three-ds-challenges/{challengeId}/complete",
    "write completeChallenge",
    "Complete a challenge with a code. A wrong or expired code answers 422",
    { body: SandboxCompletion, data: z.object({}), errors: ["ILLEGAL_TRANSITION"] },
  ),
] as const;
