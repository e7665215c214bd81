import { isDeepStrictEqual } from "node:util";
import { mayMoveMoney } from "../../shared/contract/roles.ts";
import { disputes, toDisputeView } from "../../shared/disputes/dispute.ts";
import { evidence, lastUploadedAt } from "../../shared/disputes/evidence.ts";
import { executeDispute, tryDispute } from "../../shared/network-events/apply/execute-dispute.ts";
import type { CardEventOf } from "../../shared/network-events/card-event.ts";
import { ApiError, missing } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { notAllowed } from "../../shared/platform/http/require-allowed.ts";
import { idStart, newId } from "../../shared/platform/id.ts";
import type { IdempotencyKey } from "../../shared/platform/idempotency.ts";
import { changeLabels, planLabels, withMetadata } from "../../shared/platform/labels.ts";
import { retryDecision } from "../../shared/platform/table/retry.ts";
import { findTransaction } from "../../shared/transactions/find-transaction.ts";
import type { Transaction } from "../../shared/transactions/transaction.ts";
import { references } from "../../shared/transactions/transaction-rules.ts";

export const createDispute: Operations["POST /disputes"] = async ({ scope, body, idempotency }) => {
  const { programId } = scope;
  const { referenceCode, externalId, metadata, ...asked } = body;
  const labels = { externalId, metadata };
  const found = await findPosting(programId, referenceCode);
  if (!found) throw new ApiError("NOT_FOUND", missing({ referenceCode: found }));
  const kind = "dispute_creation";
  const event = { kind, eventId: newId("event"), programId, ...found, ...asked, labels } as const;
  return executeDispute(event, idempotency, metadata);
};

/** `externalId` and `metadata` alone are changed in every status, without a notification. */
export const changeDispute: Operations["PUT /disputes/{disputeId}"] = async ({ scope, path, body }) => {
  const { externalId, metadata, ...asked } = body;
  const labels = { externalId, metadata };
  const isLabelled = externalId !== undefined || metadata !== undefined;
  const of = { ...scope, kind: "dispute", recordId: path.disputeId } as const;
  const item = disputes.at(scope.programId, path.disputeId);
  const relabel = async () => {
    const changed = await changeLabels(of, labels, item, ({ version }) => ({
      set: { version: version + 1 },
      condition: { version },
    }));
    const { hasMetadata: _, ...view } = toDisputeView(changed.changed);
    return { ...view, metadata: changed.metadata };
  };
  if (isLabelled && Object.keys(asked).length === 0) return relabel();
  if (!mayMoveMoney(scope)) throw notAllowed("More than externalId and metadata of a dispute", scope);
  return retryDecision(async () => {
    const dispute = await item.require();
    const { cardId, status, amountMinor: amount, reason, note } = dispute;
    // One that is sent again after a lost answer changes nothing, and tells nobody.
    if (status === "new" && isDeepStrictEqual({ amount, reason, note, ...asked }, { amount, reason, note }))
      return isLabelled ? relabel() : withMetadata(scope.programId, path.disputeId, toDisputeView(dispute));
    const base = { eventId: newId("event"), programId: scope.programId, cardId, ...path };
    const plan = isLabelled && { labels: await planLabels(of, dispute, labels) };
    return tryDispute({ ...base, kind: "dispute_change", ...asked, ...plan }, undefined);
  });
};

/** Submits a new dispute or, with new evidence, one for which the network asked for more. */
export const submitDispute: Operations["POST /disputes/{disputeId}/submit"] = async (request) => {
  const pieces = await evidence.list(request.scope.programId, request.path.disputeId);
  return takeStep(request, "submit", lastUploadedAt(pieces));
};

/** Goes to pre-arbitration, then to arbitration. */
export const escalateDispute: Operations["POST /disputes/{disputeId}/escalate"] = (request) =>
  takeStep(request, "escalate");

export const writeOffDispute: Operations["POST /disputes/{disputeId}/write-off"] = (request) =>
  takeStep(request, "write_off");

export const withdrawDispute: Operations["POST /disputes/{disputeId}/withdraw"] = (request) =>
  takeStep(request, "withdraw");

interface DisputeRequest {
  readonly scope: { readonly programId: string };
  readonly path: { readonly disputeId: string };
  readonly idempotency?: IdempotencyKey | undefined;
}

async function takeStep(
  request: DisputeRequest,
  step: CardEventOf<"dispute_step">["step"],
  evidenceAt?: string,
) {
  const base = await makeEventBase(request);
  return executeDispute({ ...base, kind: "dispute_step", step, evidenceAt }, request.idempotency);
}

/** @throws ApiError NOT_FOUND */
async function makeEventBase({ scope: { programId }, path: { disputeId } }: DisputeRequest) {
  const { cardId } = await disputes.at(programId, disputeId).require();
  return { eventId: newId("event"), programId, cardId, disputeId };
}

type Found = Pick<Transaction, "cardId" | "transId">;

/** The transaction of a reference code. Without a code of its sender, it is the `transId`. */
async function findPosting(programId: string, referenceCode: string): Promise<Found | undefined> {
  const known = await references.at(programId, referenceCode).get();
  if (known || !referenceCode.startsWith(idStart("transaction"))) return known;
  return findTransaction(programId, referenceCode);
}
