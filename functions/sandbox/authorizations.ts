import { holds } from "../../shared/authorizations/holds/hold.ts";
import type { CardEvent } from "../../shared/network-events/card-event.ts";
import type { AppliedResult } from "../../shared/network-events/plan.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { execute, executeWithBalances, newCardEvent, requireFields } from "./execute-event.ts";
import { toVerified } from "./verified.ts";

/** A decline is a 200 too. */
export const authorize: Operations["POST /cards/{cardId}/authorizations"] = (request) => {
  const event = {
    ...newCardEvent("authorization", request),
    authorizationId: newId("hold"),
    ...toVerified(request.body),
  };
  return execute(event, request, toAuthorization);
};

/**
 * Holds what the network has approved. ILLEGAL_TRANSITION if the authorization is another card's.
 */
export const advise: Operations["POST /cards/{cardId}/authorization-advices"] = (request) => {
  const { authorizationId = newId("hold"), ...body } = request.body;
  const event = { ...newCardEvent("authorization_advice", request), authorizationId, ...toVerified(body) };
  return execute(event, request, toAuthorization);
};

/** Declined if the authorization is finished. */
export const increment: Operations["POST /authorizations/{authorizationId}/increment"] = async (request) => {
  const event = { ...(await newHoldEvent("authorization_incremental", request)), ...request.body };
  return execute(event, request, toAuthorization);
};

/** Default: the whole hold. VALIDATION_FAILED if nothing is held. */
export const clearAuthorization: Operations["POST /authorizations/{authorizationId}/clear"] = async (
  request,
) => {
  const event = { ...(await newHoldEvent("clearing", request)), ...request.body };
  return executeWithBalances(event, request, requireFields("transId"));
};

/**
 * Default: the whole hold, which finishes the authorization. VALIDATION_FAILED for more than is
 * held.
 */
export const reverseAuthorization: Operations["POST /authorizations/{authorizationId}/reverse"] = async (
  request,
) => {
  const base = await newHoldEvent("authorization_reversal", request);
  return executeWithBalances({ ...base, ...request.body, withinHold: true }, request, () => ({}));
};

export const expireAuthorization: Operations["POST /authorizations/{authorizationId}/expire"] = async (
  request,
) => executeWithBalances(await newHoldEvent("authorization_expiry", request), request, () => ({}));

interface HoldRequest {
  readonly scope: { readonly programId: string };
  readonly path: { readonly authorizationId: string };
}

/** @throws ApiError NOT_FOUND */
async function newHoldEvent<K extends CardEvent["kind"]>(kind: K, { scope, path }: HoldRequest) {
  const { authorizationId } = path;
  const hold = await holds.at(scope.programId, authorizationId).require();
  return { ...newCardEvent(kind, { scope, path: hold }), authorizationId };
}

function toAuthorization(result: AppliedResult) {
  const { declineReason, controlId, decidedBy } = result;
  const fields = requireFields("authorizationId", "approved", "amount", "transId")(result);
  return { ...fields, declineReason, controlId, decidedBy };
}
