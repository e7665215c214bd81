import { holds } from "../../shared/domain/holds/hold.ts";
import type { AppliedResult } from "../../shared/domain/network/plan.ts";
import { newId } from "../../shared/platform/id.ts";
import { execute, executeWithBalances, newCardEvent, pick } from "./answers.ts";
import type { SandboxOperations } from "./operations.ts";

/** A decline is a 200 too. */
export const authorize: SandboxOperations["POST /cards/{cardId}/authorizations"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const authorizationId = newId("hold");
  const event = { ...newCardEvent("authorization", programId, cardId), authorizationId, ...body };
  return execute(event, idempotency, toAuthorization);
};

/** Holds what the network has approved. ILLEGAL_TRANSITION if the authorization is another card's. */
export const advise: SandboxOperations["POST /cards/{cardId}/authorization-advices"] = ({
  scope: { programId },
  path: { cardId },
  body: { authorizationId = newId("hold"), ...body },
  idempotency,
}) => {
  const event = { ...newCardEvent("authorization_advice", programId, cardId), authorizationId, ...body };
  return execute(event, idempotency, toAuthorization);
};

/** Declined if the authorization is finished. */
export const increment: SandboxOperations["POST /authorizations/{authorizationId}/increment"] = async ({
  scope: { programId },
  path: { authorizationId },
  body,
  idempotency,
}) => {
  const { cardId } = await holds.at(programId, authorizationId).require();
  const event = { ...newCardEvent("authorization_incremental", programId, cardId), authorizationId, ...body };
  return execute(event, idempotency, toAuthorization);
};

/** Default: the whole hold. VALIDATION_FAILED if nothing is held. */
export const clearAuthorization: SandboxOperations["POST /authorizations/{authorizationId}/clear"] = async ({
  scope: { programId },
  path: { authorizationId },
  body,
  idempotency,
}) => {
  const { cardId } = await holds.at(programId, authorizationId).require();
  const event = { ...newCardEvent("clearing", programId, cardId), authorizationId, ...body };
  return executeWithBalances(event, idempotency, pick("transId"));
};

/** Default: the whole hold, which finishes the authorization. VALIDATION_FAILED for more than is held. */
export const reverseAuthorization: SandboxOperations["POST /authorizations/{authorizationId}/reverse"] =
  async ({ scope: { programId }, path: { authorizationId }, body, idempotency }) => {
    const { cardId } = await holds.at(programId, authorizationId).require();
    const base = newCardEvent("authorization_reversal", programId, cardId);
    const event = { ...base, authorizationId, ...body, withinHold: true };
    return executeWithBalances(event, idempotency, () => ({}));
  };

export const expireAuthorization: SandboxOperations["POST /authorizations/{authorizationId}/expire"] =
  async ({ scope: { programId }, path: { authorizationId }, idempotency }) => {
    const { cardId } = await holds.at(programId, authorizationId).require();
    const event = { ...newCardEvent("authorization_expiry", programId, cardId), authorizationId };
    return executeWithBalances(event, idempotency, () => ({}));
  };

function toAuthorization(result: AppliedResult) {
  const { declineReason } = result;
  return { ...pick("authorizationId", "approved", "amount", "transId")(result), declineReason };
}
