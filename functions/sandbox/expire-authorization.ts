import { planExpiry } from "../../shared/domain/network/plan-hold-events.ts";
import { planOnHold } from "../../shared/domain/network/plan-on-hold.ts";
import { answerWithBalances, eventOf, getHold } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * The authorization expires before its time: all that is held is released, and it is finished.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION where it is finished; IDEMPOTENCY_MISMATCH
 */
export const expireAuthorization: SandboxOperations["POST /authorizations/{authorizationId}/expire"] =
  async ({ scope: { programId }, path: { authorizationId }, idempotency }) => {
    const { cardId } = await getHold(programId, authorizationId);
    const event = { ...eventOf("authorization_expiry", programId, cardId), authorizationId };
    return answerWithBalances(
      event,
      idempotency,
      () => ({}),
      () => planOnHold({ programId, authorizationId, eventOn: () => event }, planExpiry),
    );
  };
