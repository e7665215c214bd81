import type { DisputeView } from "../../contract/disputes.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { IdempotencyKey } from "../../platform/idempotency.ts";
import type { CardEvent } from "../card-event.ts";
import { answerEvent } from "./answer-event.ts";
import { cardChanges } from "./card-changes.ts";

type DisputeEvent = Extract<CardEvent, { readonly kind: `dispute_${string}` }>;

/**
 * Executes a request about a dispute and answers with it.
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, AMOUNT_EXCEEDED, EVIDENCE_REQUIRED
 * @throws ContendedError
 */
export async function executeDispute(
  event: DisputeEvent,
  key: IdempotencyKey | undefined,
): Promise<DisputeView> {
  const outcome = await answerEvent(cardChanges, {
    event,
    key,
    answer: (_, dispute) => requireDispute(dispute),
  });
  if ("answer" in outcome) return outcome.answer;
  const { rejected } = outcome;
  if (rejected === "NOTHING_HELD" || rejected === "MORE_THAN_HELD")
    throw new Error(`A dispute cannot be rejected as ${rejected}.`);
  throw new ApiError(rejected);
}

function requireDispute(dispute: DisputeView | undefined): DisputeView {
  if (!dispute) throw new Error("The event has changed no dispute.");
  return dispute;
}
