import { type Hold, holds } from "../../shared/authorizations/holds/hold.ts";
import { type EventRecord, eventRecords } from "../../shared/network-events/plan.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { toVerificationView } from "../../shared/verification/presentation.ts";

/**
 * Without an authorization endpoint, only the hold knows the authorization, and its outcome.
 * @throws ApiError NOT_FOUND, also while the question is open
 */
export const viewDecision: Operations["GET /authorizations/{authorizationId}/decision"] = async ({
  scope: { programId },
  path: { authorizationId },
}) => {
  const hold = await holds.at(programId, authorizationId).require();
  const { decisionEventId = "", decided, closedBy, createdAt, askedIncrements = [] } = hold;
  const records = await readRecords(programId, hold);
  const own = records.get(decisionEventId);
  const increments = askedIncrements.flatMap((eventId) => {
    const view = toView(records.get(eventId));
    return view ? [{ eventId, ...view }] : [];
  });
  const more = {
    plasticId: hold.plasticId,
    verification: toVerificationView({ ...hold, failedCheck: hold.decline?.reason }),
    ...(increments.length > 0 && { increments }),
  };
  const view = toView(own);
  if (view) return { ...view, ...more };
  // What only the network approved is shown for its increments.
  if (own || !(decided || increments.length > 0)) throw new ApiError("NOT_FOUND");
  const outcome = closedBy === "declined" ? "declined" : "approved";
  return { outcome, ...byPlatform(createdAt), ...more };
};

/** The authorization's and its increments', by their ids. */
async function readRecords(programId: string, { decisionEventId, askedIncrements = [] }: Hold) {
  const ids = new Set([...(decisionEventId === undefined ? [] : [decisionEventId]), ...askedIncrements]);
  const keys = new Map([...ids].map((id) => [eventRecords.at(programId, id).key.pk, id]));
  const items = await readBatch([...ids].map((id) => eventRecords.at(programId, id).key));
  return new Map(items.map((item) => [keys.get(String(item.pk)), eventRecords.parse(item)]));
}

/** Undefined while the question is open. */
function toView(record: EventRecord | undefined) {
  const { decision, result, lateAnswer, appliedAt = "" } = record ?? {};
  if (result?.outcome !== "applied") return undefined;
  const { approved, amount, declineReason: reason } = result;
  const outcome = approved ? ("approved" as const) : ("declined" as const);
  return { outcome, amount, ...(decision ?? { ...byPlatform(appliedAt), reason }), lateAnswer };
}

function byPlatform(at: string) {
  return { decidedBy: "platform", receivedAt: at, decidedAt: at } as const;
}
