import type { DisputeView } from "../../contract/disputes.ts";
import type { Metadata } from "../../contract/primitives.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { IdempotencyKey } from "../../platform/idempotency.ts";
import { type Labelling, withMetadata } from "../../platform/labels.ts";
import { Conflict } from "../../platform/table/retry.ts";
import type { CardEvent } from "../card-event.ts";
import { answerEvent } from "./answer-event.ts";
import { cardChanges } from "./card-changes.ts";

type DisputeEvent = Extract<CardEvent, { readonly kind: `dispute_${string}` }>;

/**
 * Executes a request about a dispute and answers with it.
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, AMOUNT_EXCEEDED, EVIDENCE_REQUIRED,
 * EXTERNAL_ID_EXISTS
 * @throws ContendedError
 */
export async function executeDispute(
  event: DisputeEvent,
  key: IdempotencyKey | undefined,
  metadata?: Metadata,
): Promise<DisputeView> {
  const outcome = await tryDispute(event, key, metadata);
  if (outcome instanceof Conflict) throw new Error("The event changes no labels.");
  return outcome;
}

/** A conflict: the labels that the event changes have changed since. */
export async function tryDispute(
  event: DisputeEvent,
  key: IdempotencyKey | undefined,
  metadata?: Metadata,
): Promise<DisputeView | Conflict> {
  const outcome = await answerEvent(cardChanges, {
    event,
    key,
    answer: (_, dispute): Labelling<DisputeView> => {
      const { hasMetadata, ...view } = requireDispute(dispute);
      return metadata ? { ...view, metadata } : { ...view, hasMetadata };
    },
  });
  if ("answer" in outcome) return withMetadata(event.programId, outcome.answer.disputeId, outcome.answer);
  const { rejected, existingId, message } = outcome;
  if (rejected === "LABELS_CHANGED") return new Conflict("metadata");
  if (rejected === "NOTHING_HELD" || rejected === "MORE_THAN_HELD")
    throw new Error(`A dispute cannot be rejected as ${rejected}.`);
  throw new ApiError(rejected, [], existingId, message);
}

function requireDispute(dispute: Labelling<DisputeView> | undefined): Labelling<DisputeView> {
  if (!dispute) throw new Error("The event has changed no dispute.");
  return dispute;
}
