import { passcodeEvents } from "../../shared/authentications/passcode-events.ts";
import type { Fault } from "../../shared/contract/errors.ts";
import type { CodeFailure } from "../../shared/passcodes/passcode.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId, toOtherId } from "../../shared/platform/id.ts";
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
  const made = requireFields("challengeId", "expiresAt")(result);
  return { ...made, authenticationId: toOtherId("authentication", made.challengeId) };
};

const failures: Record<CodeFailure, string> = {
  WRONG_CODE: "is not the code of this challenge",
  EXPIRED: "has expired",
  ATTEMPTS_EXHAUSTED: "was guessed wrong too often",
};

export function codeFault(failure: CodeFailure): Fault {
  return { path: "body.code", code: failure.toLowerCase(), message: failures[failure] };
}

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
  throw new ApiError("VALIDATION_FAILED", [codeFault(failure)]);
};
