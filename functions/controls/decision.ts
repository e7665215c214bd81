import { holds } from "../../shared/domain/holds/hold.ts";
import { eventRecords } from "../../shared/domain/network/event-record.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { EndpointOperations } from "./operations.ts";

/**
 * Without an authorization endpoint, only the hold knows the authorization, and its outcome.
 * @throws ApiError NOT_FOUND, also while the question is open
 */
export const viewDecision: EndpointOperations["GET /authorizations/{authorizationId}/decision"] = async ({
  scope: { programId },
  path: { authorizationId },
}) => {
  const hold = await holds.at(programId, authorizationId).require();
  const { decisionEventId, decided, closedBy, createdAt } = hold;
  const byPlatform = (at: string) => ({ decidedBy: "platform", receivedAt: at, decidedAt: at }) as const;
  const record = decisionEventId && (await eventRecords.at(programId, decisionEventId).get());
  if (record) {
    const { decision, result, lateAnswer, appliedAt } = record;
    if (result?.outcome !== "applied") throw new ApiError("NOT_FOUND");
    const { approved, amount, declineReason: reason } = result;
    const outcome = approved ? "approved" : "declined";
    return { outcome, amount, ...(decision ?? { ...byPlatform(appliedAt), reason }), lateAnswer };
  }
  if (!decided) throw new ApiError("NOT_FOUND");
  return { outcome: closedBy === "declined" ? "declined" : "approved", ...byPlatform(createdAt) };
};
