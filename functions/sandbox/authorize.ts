import type { z } from "zod";
import type { SandboxAuthorizationResponse } from "../../shared/contract/sandbox-network.ts";
import { newId } from "../../shared/id.ts";
import type { IdempotencyKey } from "../../shared/idempotency/idempotency-key.ts";
import { answerEvent } from "../../shared/processor/answer-event.ts";
import type { CardEvent } from "../../shared/processor/card-event.ts";
import type { AppliedResult } from "../../shared/processor/event-plan.ts";
import { planCardEvent } from "../../shared/processor/plan-card-event.ts";
import { eventOf, getHold, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

type AuthorizationAnswer = z.input<typeof SandboxAuthorizationResponse>;

/**
 * A merchant asks for an authorization: approved and held, or declined with a reason. Both are a 200.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const authorize: SandboxOperations["POST /cards/{cardId}/authorizations"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  decide(
    {
      ...eventOf("authorization", scope.programId, path.cardId),
      authorizationId: newId("hold"),
      ...body,
    },
    idempotency,
  );

/**
 * The network tells of what it has approved: held whatever the card's status and money.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for another card's authorization; IDEMPOTENCY_MISMATCH
 */
export const advise: SandboxOperations["POST /cards/{cardId}/authorization-advices"] = ({
  scope,
  path,
  body: { authorizationId = newId("hold"), ...body },
  idempotency,
}) =>
  decide(
    { ...eventOf("authorization_advice", scope.programId, path.cardId), authorizationId, ...body },
    idempotency,
  );

/**
 * The merchant asks for more of an authorization. A finished one takes no more: declined.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const increment: SandboxOperations["POST /authorizations/{authorizationId}/increment"] = async ({
  scope: { programId },
  path: { authorizationId },
  body,
  idempotency,
}) => {
  const { cardId } = await getHold(programId, authorizationId);
  return decide(
    { ...eventOf("authorization_incremental", programId, cardId), authorizationId, ...body },
    idempotency,
  );
};

function decide(event: CardEvent, key: IdempotencyKey | undefined): Promise<AuthorizationAnswer> {
  return answerEvent({ event, plan: () => planCardEvent(event), key, answer: answerOf });
}

function answerOf(result: AppliedResult): AuthorizationAnswer {
  const { authorizationId, approved, declineReason, amount } = result;
  if (authorizationId === undefined || approved === undefined || amount === undefined) {
    throw new Error("The event decided no authorization.");
  }
  return { authorizationId, approved, declineReason, amount, ...transactionIn(result) };
}
