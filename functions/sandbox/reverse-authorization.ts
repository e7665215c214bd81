import { type Hold, outstandingMinor } from "../../shared/domain/holds/hold.ts";
import type { CardEventOf } from "../../shared/domain/network/card-plan.ts";
import { planReversal } from "../../shared/domain/network/plan-hold-events.ts";
import { planOnHold } from "../../shared/domain/network/plan-on-hold.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { answerWithBalances, eventOf, getHold } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Reverses an authorization: all that is held, which finishes it, or a part.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION where it is finished or nothing is held; VALIDATION_FAILED for more than is held;
 * IDEMPOTENCY_MISMATCH
 */
export const reverseAuthorization: SandboxOperations["POST /authorizations/{authorizationId}/reverse"] =
  async ({ scope: { programId }, path: { authorizationId }, body, idempotency }) => {
    const known = await getHold(programId, authorizationId);
    const base = { ...eventOf("authorization_reversal", programId, known.cardId), authorizationId };
    const eventOn = (hold: Hold = known): CardEventOf<"authorization_reversal"> => {
      const heldMinor = outstandingMinor(hold);
      const amount = body.amount ?? heldMinor;
      if (hold.closedBy) throw new ApiError("ILLEGAL_TRANSITION");
      if (amount > heldMinor) throw moreThanHeld();
      if (heldMinor === 0) throw new ApiError("ILLEGAL_TRANSITION");
      return amount === heldMinor ? base : { ...base, amount };
    };
    return answerWithBalances(
      base,
      idempotency,
      () => ({}),
      () => planOnHold({ programId, authorizationId, eventOn }, planReversal),
    );
  };

function moreThanHeld(): ApiError {
  return new ApiError("VALIDATION_FAILED", [
    { path: "body.amount", code: "too_big", message: "must not be more than is held" },
  ]);
}
