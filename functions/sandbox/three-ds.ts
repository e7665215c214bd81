import type { Applied } from "../../shared/changes/applied-event.ts";
import { passcodeEvents } from "../../shared/passcodes/passcode-events.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { apply, requireFields } from "./execute-event.ts";

/**
 * Makes a passcode for the Card's subscribers. ILLEGAL_TRANSITION without 3-D Secure, or if the
 * Card is not Active.
 */
export const challenge: Operations["POST /cards/{cardId}/three-ds-challenges"] = async ({
  scope: { programId },
  path: { cardId },
  body,
}) => {
  const eventId = newId("event");
  const event = { kind: "three_ds_challenge", eventId, programId, cardId, ...body } as const;
  const result = await apply(passcodeEvents.three_ds_challenge, event);
  return requireFields("challengeId", "expiresAt")(result);
};

const failures: Record<NonNullable<Applied["authenticationFailure"]>, string> = {
  WRONG_CODE: "is not the code of this challenge",
  EXPIRED: "has expired",
  ATTEMPTS_EXHAUSTED: "was guessed wrong too often",
};

/** VALIDATION_FAILED for a wrong or expired code, ILLEGAL_TRANSITION if already answered. */
export const completeChallenge: Operations["POST /three-ds-challenges/{challengeId}/complete"] = async ({
  scope: { programId },
  path: { challengeId },
  body: { code },
}) => {
  const eventId = newId("event");
  const event = { kind: "three_ds_completion", eventId, programId, challengeId, code } as const;
  const result = await apply(passcodeEvents.three_ds_completion, event);
  const failure = result.authenticationFailure;
  if (failure === undefined) return {};
  throw new ApiError("VALIDATION_FAILED", [
    { path: "body.code", code: failure.toLowerCase(), message: failures[failure] },
  ]);
};
