import * as z from "zod";
import { merchantFields } from "./card-network.ts";
import { besideOtherFaults, id, listQuery, positiveAmount, text, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

/** Maximum active subscriptions of one Card, or of one Cardholder (legacy). */
export const maximumOtpListeners = 10;

/** The credential of one subscription: 256 random bits, base64url. */
export const otpToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be an OTP token");

/** A one-time passcode as the Cardholder reads it. */
export const otpCode = z.string().regex(/^\d{6}$/, "must be six digits");

/** The id of one subscription. It cannot be turned into the token, and opens nothing without an API key. */
export const otpListenerId = z.string().regex(/^[0-9a-f]{64}$/, "must be a listener id");

interface Subject {
  readonly cardId?: unknown;
  readonly cardholderId?: unknown;
}

/** Exactly one of `cardId` and `cardholderId`; if both are given, each is a fault. */
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
    /** Recommended: one subscription for each Card. */
    cardId: text(64).optional(),
    /** Legacy: all the Cardholder's Cards. */
    cardholderId: text(64).optional(),
    webhookUrl: text(2048).optional(),
  }),
);

export const OtpSubscription = z.object({
  /** Shown here once, and stored as a hash alone. */
  token: otpToken,
  /** Removes the subscription if its token is lost. */
  listenerId: otpListenerId,
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  webhookUrl: z.string().optional(),
  /** A subscription does not expire. */
  expiresAt: z.null(),
  /** Signs the callbacks (Standard Webhooks). Shown here once; absent without a `webhookUrl`. */
  secret: z.string().optional(),
  dateCreated: timestamp,
});

/** A listed subscription: without its token and secret. */
export const OtpListenerView = z.object({
  listenerId: otpListenerId,
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  /** The host of its `webhookUrl`, with the port unless it is 443. */
  webhookHost: z.string().optional(),
  dateCreated: timestamp,
});
export type OtpListenerView = z.output<typeof OtpListenerView>;

/**
 * `pending`: no challenge yet. `received`: `code` can be used until `expiresAt`. `expired`: it can no longer, because its time passed or
 * wrong codes used up its attempts. `consumed`: it was used.
 */
export const otpStatus = z.enum(["pending", "received", "expired", "consumed"]);

export const OtpRetrieveResponse = z.object({
  status: otpStatus,
  /** Only with `received`. */
  code: otpCode.optional(),
  /** When the code expires. Null without a code. */
  expiresAt: timestamp.nullable(),
});
export type OtpRetrieveResponse = z.output<typeof OtpRetrieveResponse>;

/** The whole body of a callback: whose code to fetch, and nothing else. */
export const OtpCallback = z.union([
  z.strictObject({ cardId: id("card") }),
  z.strictObject({ cardholderId: id("cardholder") }),
]);
export type OtpCallback = z.output<typeof OtpCallback>;

const route = routesOf({ api: "platform", function: "otp" });

export const otpRoutes = [
  route(
    "POST /otp/listeners",
    "Subscribe to the one-time passcodes of a Card, or of a Cardholder's Cards (legacy)",
    { body: OtpSubscribe, data: OtpSubscription, errors: ["NOT_FOUND", "LIMIT_REACHED"] },
  ),
  route(
    "GET /otp/listeners",
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
  route("DELETE /otp/listeners/{listenerId}", "Remove a subscription without its token", {
    parameters: { listenerId: otpListenerId },
    data: z.object({ listenerId: otpListenerId }),
  }),
  route("GET /otp/{token}", "Retrieve the one-time passcode of a subscription", {
    parameters: { token: otpToken },
    data: OtpRetrieveResponse,
  }),
  route("DELETE /otp/{token}", "Unsubscribe", {
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
  /** Seconds that the code can be used, from `occurredAt` if sent, else from now. */
  expiresInSeconds: z.int().min(1).max(86_400).default(300),
  /** The purchase's amount in minor units of the card's currency: 1050 is 10.50. */
  amount: positiveAmount.optional(),
  ...merchantFields,
};

/**
 * A purchase without the card present: the platform makes a code and alerts the card's subscribers. Rejected
 * in a Program without 3-D Secure, and for a card that is not Active.
 */
export const ThreeDsChallenge = z.object({
  ...common,
  kind: z.literal("three_ds_challenge"),
  cardId: id("card"),
  /** Default: a new one. */
  challengeId: id("challenge").optional(),
  ...challengeDetails,
});

/** The Cardholder has answered with a code. Five wrong ones void the challenge. */
export const ThreeDsCompletion = z.object({
  ...common,
  kind: z.literal("three_ds_completion"),
  challengeId: id("challenge"),
  code: text(64),
});

export const SandboxChallenge = z.object(challengeDetails);

export const SandboxChallengeResponse = z.object({ challengeId: id("challenge"), expiresAt: timestamp });

export const SandboxCompletion = z.object({ code: text(64) });

const sandboxRoute = routesOf({ api: "sandbox", function: "sandbox" });

export const threeDsRoutes = [
  sandboxRoute(
    "POST /cards/{cardId}/three-ds-challenges",
    "Challenge a Card's Cardholder for a one-time passcode",
    {
      body: SandboxChallenge,
      data: SandboxChallengeResponse,
      errors: ["ILLEGAL_TRANSITION"],
    },
  ),
  sandboxRoute(
    "POST /three-ds-challenges/{challengeId}/complete",
    "Answer a challenge with a code; a wrong or expired code is 422",
    { body: SandboxCompletion, data: z.object({}), errors: ["ILLEGAL_TRANSITION"] },
  ),
] as const;
