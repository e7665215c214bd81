import type { DisputeStatus } from "../../shared/contract/disputes.ts";
import { keptEvidenceDays, mostEvidence, uploadSeconds } from "../../shared/contract/evidence.ts";
import { disputes, disputeWrites } from "../../shared/disputes/dispute.ts";
import {
  type Evidence,
  evidence,
  evidenceKey,
  toEvidenceView,
  uploadKey,
} from "../../shared/disputes/evidence.ts";
import { listHistory } from "../../shared/lists/list-page.ts";
import { now, timestamp, unixSeconds } from "../../shared/platform/clock.ts";
import { evidenceBucket } from "../../shared/platform/file-store.ts";
import { limitReached, statusError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/** Those in which the next step is the customer's. */
const takesEvidence: ReadonlySet<DisputeStatus> = new Set([
  "new",
  "pending_customer",
  "representment",
  "pre_arbitration",
]);
const downloadSeconds = 5 * 60;

/** @throws ApiError ILLEGAL_TRANSITION in other statuses; LIMIT_REACHED at 50 */
export const addEvidence: Operations["POST /disputes/{disputeId}/evidence"] = async (request) => {
  const { scope, path, body } = request;
  const at = now();
  const piece: Evidence = {
    programId: scope.programId,
    disputeId: path.disputeId,
    entityId: newId("evidence"),
    status: "pending",
    ...body,
    createdAt: timestamp(at),
    expiresAtSeconds: unixSeconds(at) + keptEvidenceDays * 86_400,
  };
  await retry(() => tryToAdd(piece));
  // A signature has whole seconds.
  at.setUTCMilliseconds(0);
  return {
    evidenceId: piece.entityId,
    uploadUrl: await evidenceBucket.uploadUrl(uploadKey(piece), piece.contentType, uploadSeconds),
    expiresAt: timestamp(new Date(at.getTime() + uploadSeconds * 1000)),
  };
};

/** The dispute's version makes its status and the number of its pieces hold until the commit. */
async function tryToAdd(piece: Evidence): Promise<undefined | Conflict> {
  const { programId, disputeId, entityId, createdAt } = piece;
  const dispute = await disputes.at(programId, disputeId).require();
  const isOver = dispute.deadlineAt !== undefined && dispute.deadlineAt <= createdAt;
  if (!takesEvidence.has(dispute.status) || isOver)
    throw statusError(isOver ? "expired" : dispute.status, [...takesEvidence]);
  const pieces = await evidence.list(programId, disputeId);
  if (pieces.length >= mostEvidence)
    throw limitReached(mostEvidence, "pieces of evidence of a dispute", pieces.length);
  const { committed } = await transact([
    ...disputeWrites(dispute, dispute),
    evidence.at(programId, disputeId, entityId).create(piece),
  ]);
  return committed ? undefined : new Conflict("dispute");
}

export const listEvidence: Operations["GET /disputes/{disputeId}/evidence"] = async (request) => {
  const { scope, path, query } = request;
  await disputes.at(scope.programId, path.disputeId).require();
  const view = (piece: Evidence) => toEvidenceView(piece, now());
  return listHistory(evidence, [scope.programId, path.disputeId], view, query);
};

export const viewEvidence: Operations["GET /disputes/{disputeId}/evidence/{evidenceId}"] = async ({
  scope,
  path,
}) => {
  const piece = await evidence.at(scope.programId, path.disputeId, path.evidenceId).require();
  const { fileName, contentType, sha256 } = piece;
  const view = toEvidenceView(piece, now());
  if (sha256 === undefined) return view;
  const download = { fileName, contentType, expiresInSeconds: downloadSeconds };
  return { ...view, downloadUrl: await evidenceBucket.downloadUrl(evidenceKey(piece, sha256), download) };
};
