import { type Hold, outstandingMinor } from "../../shared/domain/holds/hold.ts";
import type { CardEventOf } from "../../shared/domain/network/card-plan.ts";
import { planClearing } from "../../shared/domain/network/plan-clearing.ts";
import { planOnHold } from "../../shared/domain/network/plan-on-hold.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { answerWithBalances, eventOf, getHold, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Settles an authorization: for what is held, or any other amount. A finished one is settled too, as the network would; nothing is released
 * then.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED where nothing is held and no amount is given; IDEMPOTENCY_MISMATCH
 */
export const clearAuthorization: SandboxOperations["POST /authorizations/{authorizationId}/clear"] = async ({
  scope: { programId },
  path: { authorizationId },
  body,
  idempotency,
}) => {
  const known = await getHold(programId, authorizationId);
  const base = { ...eventOf("clearing", programId, known.cardId), authorizationId, ...body };
  const eventOn = (hold: Hold = known): CardEventOf<"clearing"> => {
    const amount = body.amount ?? outstandingMinor(hold);
    if (amount === 0) throw nothingHeld();
    return { ...base, amount };
  };
  return answerWithBalances({ ...base, amount: body.amount ?? 0 }, idempotency, transactionIn, () =>
    planOnHold({ programId, authorizationId, eventOn }, planClearing),
  );
};

function nothingHeld(): ApiError {
  return new ApiError("VALIDATION_FAILED", [
    { path: "body.amount", code: "required", message: "is required where nothing is held" },
  ]);
}
