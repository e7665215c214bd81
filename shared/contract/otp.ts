import * as z from "zod";
import { besideOtherFaults, id, text, timestamp } from "./primitives.ts";
import { route } from "./route.ts";

/** Subscriptions of one Card, and legacy ones of one Cardholder, that may be active at once. */
export const maximumOtpListeners = 10;

/** The credential of one subscription: 256 random bits, base64url. */
export const otpToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be an OTP token");

/** A one-time passcode as the Cardholder reads it. */
export const otpCode = z.string().regex(/^\d{6}$/, "must be six digits");

export const OtpSubscribe = z
  .object({
    /** Recommended: one subscription for each Card. */
    cardId: text(64).optional(),
    /** Legacy: all the Cardholder's Cards. */
    cardholderId: text(64).optional(),
    webhookUrl: text(2048).optional(),
  })
  .refine((body) => (body.cardId === undefined) !== (body.cardholderId === undefined), {
    path: ["cardId"],
    message: "is required, unless a cardholderId is given in its place",
    when: besideOtherFaults,
  });
export type OtpSubscribe = z.output<typeof OtpSubscribe>;

export const OtpSubscription = z.object({
  /** Shown here once, and stored as a hash alone. */
  token: otpToken,
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  webhookUrl: z.string().optional(),
  /** A subscription does not expire. */
  expiresAt: z.null(),
  /** Signs the callbacks (Standard Webhooks). Shown here once; absent without a `webhookUrl`. */
  secret: z.string().optional(),
  dateCreated: timestamp,
});
export type OtpSubscription = z.output<typeof OtpSubscription>;

/**
 * `pending`: no challenge yet. `received`: `code` can be used until `expiresAt`. `expired`: it can no longer, because its time passed or
 * wrong codes used up its attempts. `consumed`: it was used.
 */
export const otpStatus = z.enum(["pending", "received", "expired", "consumed"]);

export const OtpRetrieveResponse = z.object({
  status: otpStatus,
  /** Only with `received`. */
  code: otpCode.optional(),
  /** The code's; null while there is none. */
  expiresAt: timestamp.nullable(),
});
export type OtpRetrieveResponse = z.output<typeof OtpRetrieveResponse>;

/** The whole body of a callback: whose code to fetch, and nothing else. */
export const OtpCallback = z.union([
  z.strictObject({ cardId: id("card") }),
  z.strictObject({ cardholderId: id("cardholder") }),
]);
export type OtpCallback = z.output<typeof OtpCallback>;

export const otpRoutes = [
  route({
    api: "platform",
    function: "otp",
    method: "POST",
    path: "/otp/listeners",
    summary: "Subscribe to the one-time passcodes of a Card, or of a Cardholder's Cards (legacy)",
    answer: "detail",
    body: OtpSubscribe,
    response: OtpSubscription,
    errors: ["NOT_FOUND", "LIMIT_REACHED"],
  }),
  route({
    api: "platform",
    function: "otp",
    method: "GET",
    path: "/otp/{token}",
    summary: "Retrieve the one-time passcode of a subscription",
    answer: "detail",
    parameters: { token: otpToken },
    response: OtpRetrieveResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "otp",
    method: "DELETE",
    path: "/otp/{token}",
    summary: "Unsubscribe",
    answer: "detail",
    parameters: { token: otpToken },
    response: z.object({}),
    errors: ["NOT_FOUND"],
  }),
] as const;
