import type { ProcessorResult } from "../../shared/contract/processor.ts";
import { applyEvent } from "../../shared/domain/network/apply-event.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import type { SandboxOperations } from "./operations.ts";

type Failure = NonNullable<Extract<ProcessorResult, { outcome: "applied" }>["authenticationFailure"]>;

const failures: Record<Failure, string> = {
  WRONG_CODE: "is not the code of this challenge",
  EXPIRED: "has expired",
  ATTEMPTS_EXHAUSTED: "was guessed wrong too often",
};

/**
 * A purchase asks the Card's Cardholder for a one-time passcode, by the network's own event. The code is for the subscribers alone.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION in a Program without 3-D Secure, and for a card that is not Active
 */
export const challenge: SandboxOperations["POST /cards/{cardId}/three-ds-challenges"] = async ({
  scope: { programId },
  path: { cardId },
  body,
}) => {
  const eventId = newId("event");
  const result = await applyEvent({ kind: "three_ds_challenge", eventId, programId, cardId, ...body });
  if (result.outcome === "refused") throw new ApiError(result.code);
  const { challengeId, expiresAt } = result;
  if (challengeId === undefined || expiresAt === undefined) throw new Error("The event made no challenge.");
  return { challengeId, expiresAt };
};

/**
 * The Cardholder answers the challenge with a code.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for a wrong or expired code; ILLEGAL_TRANSITION for a challenge that was answered before
 */
export const completeChallenge: SandboxOperations["POST /three-ds-challenges/{challengeId}/complete"] =
  async ({ scope: { programId }, path: { challengeId }, body: { code } }) => {
    const eventId = newId("event");
    const kind = "three_ds_completion";
    const result = await applyEvent({ kind, eventId, programId, challengeId, code });
    if (result.outcome === "refused") throw new ApiError(result.code);
    const failure = result.authenticationFailure;
    if (failure === undefined) return {};
    throw new ApiError("VALIDATION_FAILED", [
      { path: "body.code", code: failure.toLowerCase(), message: failures[failure] },
    ]);
  };
