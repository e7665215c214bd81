import type { Key } from "./keys.ts";

/** Keys of the `issuing` table for one-time passcodes. Each has its Program inside, like all of that table. */
export const otpKey = {
  /** A subscription is found by its token alone, and stored under the token's hash, which is its id. */
  listener: (programId: string, listenerId: string): Key => ({
    pk: `${programId}#OTP#${listenerId}`,
    sk: "OTP_LISTENER",
  }),
  /** The subscriptions of a Card or of a Cardholder (`subjectId`). */
  listeners: (programId: string, subjectId: string): Key => ({
    pk: `${programId}#${subjectId}`,
    sk: "OTP_LISTENERS",
  }),
  challenge: (programId: string, challengeId: string): Key => ({
    pk: `${programId}#${challengeId}`,
    sk: "CHALLENGE",
  }),
} as const;
