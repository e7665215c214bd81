import { now } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";
import * as changes from "../../shared/top-ups/top-up.ts";
import { type TopUp, topUps, toTopUpView } from "../../shared/top-ups/top-up.ts";

/** @throws ApiError NOT_FOUND for a Card or Wallet; ILLEGAL_TRANSITION for a Closed Card */
export const putTopUp: Operations["PUT /cards/{cardId}/top-up"] = async (request) =>
  view(request.scope.programId, await changes.putTopUp(toScope(request), request.body));

/** @throws ApiError NOT_FOUND */
export const viewTopUp: Operations["GET /cards/{cardId}/top-up"] = async ({ scope, path }) =>
  view(scope.programId, await topUps.at(scope.programId, path.cardId).require());

/** @throws ApiError NOT_FOUND */
export const deleteTopUp: Operations["DELETE /cards/{cardId}/top-up"] = async (request) => {
  await changes.deleteTopUp(toScope(request));
  return { cardId: request.path.cardId };
};

type Request = Parameters<Operations["DELETE /cards/{cardId}/top-up"]>[0];

function toScope(request: Pick<Request, "scope" | "path" | "requestId">) {
  const { tenantId, programId } = request.scope;
  return { tenantId, programId, cardId: request.path.cardId, actor: toActor(request) };
}

async function view(programId: string, topUp: TopUp) {
  return toTopUpView(topUp, await getProgram(programId), now());
}
