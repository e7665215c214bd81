import * as z from "zod";
import { merchantFields } from "./merchant.ts";
import { id, positiveAmount, text, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

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

const route = routesOf({ api: "sandbox", function: "sandbox" });

export const threeDsRoutes = [
  route("POST /cards/{cardId}/three-ds-challenges", "Challenge a Card's Cardholder for a one-time passcode", {
    body: SandboxChallenge,
    data: SandboxChallengeResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route(
    "POST /three-ds-challenges/{challengeId}/complete",
    "Answer a challenge with a code; a wrong or expired code is 422",
    { body: SandboxCompletion, data: z.object({}), errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"] },
  ),
] as const;
