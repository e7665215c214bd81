import type { ProcessorEvent } from "../../shared/contract/processor.ts";
import { getCardholder, toCardholderView } from "../../shared/domain/cardholders/cardholder.ts";
import { getCard, toCardView } from "../../shared/domain/cards/card.ts";
import { applyEvent } from "../../shared/domain/network/execute-event.ts";
import type { AppliedResult } from "../../shared/domain/network/plan.ts";
import { notifications, redeliveryPut } from "../../shared/domain/notifications/notification.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { pick } from "./answers.ts";
import type { SandboxOperations } from "./operations.ts";

/** ILLEGAL_TRANSITION unless Under Review. */
export const decideKyc: SandboxOperations["POST /cardholders/{cardholderId}/kyc-outcome"] = async ({
  scope: { programId },
  path: { cardholderId },
  body: { status },
}) => {
  await apply({ kind: "kyc_outcome", eventId: newId("event"), programId, cardholderId, status });
  return toCardholderView(await getCardholder(programId, cardholderId));
};

/** ILLEGAL_TRANSITION if already decided. */
export const decideIssuance: SandboxOperations["POST /cards/{cardId}/approval"] = async ({
  scope: { programId },
  path: { cardId },
  body: { cardStatus },
}) => {
  await apply({ kind: "card_approval", eventId: newId("event"), programId, cardId, cardStatus });
  return toCardView(await getCard(programId, cardId));
};

/**
 * Makes a passcode for the Card's subscribers. ILLEGAL_TRANSITION without 3-D Secure, or if the
 * Card is not Active.
 */
export const challenge: SandboxOperations["POST /cards/{cardId}/three-ds-challenges"] = async ({
  scope: { programId },
  path: { cardId },
  body,
}) => {
  const eventId = newId("event");
  const result = await apply({ kind: "three_ds_challenge", eventId, programId, cardId, ...body });
  return pick("challengeId", "expiresAt")(result);
};

const failures: Record<NonNullable<AppliedResult["authenticationFailure"]>, string> = {
  WRONG_CODE: "is not the code of this challenge",
  EXPIRED: "has expired",
  ATTEMPTS_EXHAUSTED: "was guessed wrong too often",
};

/** VALIDATION_FAILED for a wrong or expired code, ILLEGAL_TRANSITION if already answered. */
export const completeChallenge: SandboxOperations["POST /three-ds-challenges/{challengeId}/complete"] =
  async ({ scope: { programId }, path: { challengeId }, body: { code } }) => {
    const eventId = newId("event");
    const result = await apply({ kind: "three_ds_completion", eventId, programId, challengeId, code });
    const failure = result.authenticationFailure;
    if (failure === undefined) return {};
    throw new ApiError("VALIDATION_FAILED", [
      { path: "body.code", code: failure.toLowerCase(), message: failures[failure] },
    ]);
  };

/** Sends the stored bytes again, as if the network had repeated its event. No money moves. */
export const duplicateNotification: SandboxOperations["POST /webhooks/events/{transIdSc}/duplicate"] =
  async ({ scope: { programId }, path: { transIdSc } }) => {
    const { eventType } = await notifications.at(programId, transIdSc).require();
    await transact([redeliveryPut(programId, { notificationIds: [transIdSc], eventType }, now())]);
    return { transIdSc };
  };

/** @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION */
async function apply(event: ProcessorEvent): Promise<AppliedResult> {
  const result = await applyEvent(event);
  if (result.outcome === "refused") throw new ApiError(result.code);
  return result;
}
