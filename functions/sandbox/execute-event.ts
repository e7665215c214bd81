import type { SentEvent } from "../../shared/changes/applied-event.ts";
import { applyOnce } from "../../shared/changes/apply-once.ts";
import type { Change } from "../../shared/changes/change.ts";
import type { Balances } from "../../shared/contract/balances.ts";
import type { Applied, ProcessorResult, RejectionCode } from "../../shared/contract/processor.ts";
import { answerBalances, answerEvent } from "../../shared/network-events/apply/answer-event.ts";
import { cardChanges } from "../../shared/network-events/apply/card-changes.ts";
import type { AnswerOrRejection } from "../../shared/network-events/apply/execute-event.ts";
import type { CardEvent, PlannedEvent } from "../../shared/network-events/card-event.ts";
import type { AppliedResult, Rejected } from "../../shared/network-events/plan.ts";
import { ApiError, invalid } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import type { IdempotencyKey } from "../../shared/platform/idempotency.ts";

/** The parts of a request that every operation on a Card has. */
interface CardRequest {
  readonly scope: { readonly programId: string };
  readonly path: { readonly cardId: string };
}

/** The common fields of emulated card events. */
export function newCardEvent<K extends CardEvent["kind"]>(kind: K, { scope, path }: CardRequest) {
  return { kind, eventId: newId("event"), programId: scope.programId, cardId: path.cardId };
}

interface Keyed {
  readonly idempotency?: IdempotencyKey | undefined;
}

/** @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, VALIDATION_FAILED, IDEMPOTENCY_MISMATCH */
export async function execute<A extends object>(
  event: PlannedEvent,
  { idempotency: key }: Keyed,
  answer: (result: AppliedResult) => A,
): Promise<A> {
  return requireAnswer(await answerEvent(cardChanges, { event, key, answer }));
}

/** Adds the balances after the event, in minor units. Throws as `execute`. */
export async function executeWithBalances<A>(
  event: PlannedEvent,
  { idempotency: key }: Keyed,
  more: (result: AppliedResult) => A,
): Promise<A & Balances> {
  const answer = (result: AppliedResult, balances: Balances) => ({ ...more(result), ...balances });
  return requireAnswer(await answerBalances(cardChanges, { event, key, answer }));
}

/** @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION */
export async function apply<Event extends SentEvent, Found extends object>(
  change: Change<Event, Found, Applied, RejectionCode>,
  event: Event,
): Promise<Applied> {
  return requireApplied(await applyOnce(change, event));
}

/** @throws ApiError with the code of the refusal */
export function requireApplied(result: ProcessorResult & { readonly message?: string | undefined }): Applied {
  if (result.outcome === "refused") throw new ApiError(result.code, [], undefined, result.message);
  return result;
}

function requireAnswer<A>(outcome: AnswerOrRejection<A>): A {
  if ("answer" in outcome) return outcome.answer;
  throw toApiError(outcome);
}

function toApiError({ rejected: code, faults, message }: Rejected): ApiError {
  switch (code) {
    case "NOTHING_HELD":
      return invalid("body.amount", "required", "is required where nothing is held");
    case "MORE_THAN_HELD":
      return invalid("body.amount", "too_big", "must not be more than is held");
    case "LABELS_CHANGED":
      throw new Error("No event of the network changes labels.");
    default:
      return new ApiError(code, faults, undefined, message);
  }
}

/** Picks fields that the event's result always has. */
export function requireFields<K extends keyof AppliedResult>(...fields: readonly K[]) {
  return (result: AppliedResult): { [F in K]: NonNullable<AppliedResult[F]> } => {
    const missing = fields.filter((field) => result[field] === undefined);
    if (missing.length > 0) throw new Error(`The event's result has no ${missing.join(", ")}.`);
    return Object.fromEntries(fields.map((field) => [field, result[field]])) as never;
  };
}
