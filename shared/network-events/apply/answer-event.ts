import { readingAfter, withAnsweredBalances } from "../../changes/answered-balances.ts";
import type { Once } from "../../changes/execute.ts";
import type { Balances } from "../../contract/balances.ts";
import type { DisputeView } from "../../contract/disputes.ts";
import { findStoredAnswer, type IdempotencyKey, idempotencyPut } from "../../platform/idempotency.ts";
import type { Labelling } from "../../platform/labels.ts";
import type { CardChanges } from "../card-change.ts";
import type { PlannedEvent } from "../card-event.ts";
import { type AppliedResult, type CardOutcome, eventRecords } from "../plan.ts";
import {
  type AnswerOrRejection,
  executeSent,
  findChange,
  type Outcome,
  recordWrites,
  toSent,
} from "./execute-event.ts";

/** An event of a caller who waits for the answer. Its `eventId` is new. */
interface AnsweredEvent<Answer> {
  readonly event: PlannedEvent;
  readonly key: IdempotencyKey | undefined;
  readonly answer: Answer;
}

/** Stored under a request's key instead of the answer, which the event's record will have. */
interface AskedAnswer {
  readonly askedEventId: string;
}

interface Stored<A> {
  readonly stored: A | AskedAnswer;
}

/** With a key, the answer is committed with the event, and repetitions get it. */
function onceByKey<A, O extends CardOutcome>(
  changes: CardChanges,
  event: PlannedEvent,
  key: IdempotencyKey | undefined,
  answer: (outcome: O) => A,
): Once<Outcome, Stored<A>> {
  const { programId, eventId } = event;
  return {
    writes: (decided, at) => {
      const records = recordWrites(changes, event)(decided, at);
      if (!key) return records;
      const outcome = decided.answer as O;
      const stored = outcome.question ? { askedEventId: eventId } : answer(outcome);
      return [...records, idempotencyPut(programId, key, stored, at)];
    },
    first: async (failed) => {
      if (!key) return undefined;
      const first = await findStoredAnswer<A>(programId, key, failed);
      return first && { stored: first.answer };
    },
  };
}

/**
 * Executes an event and answers its caller.
 * @throws ApiError IDEMPOTENCY_MISMATCH
 * @throws ContendedError
 */
export async function answerEvent<A extends object>(
  changes: CardChanges,
  { event, key, answer }: AnsweredEvent<(result: AppliedResult, dispute?: Labelling<DisputeView>) => A>,
): Promise<AnswerOrRejection<A>> {
  const toAnswer = ({ result, dispute }: CardOutcome) => answer(result, dispute);
  const once = onceByKey(changes, event, key, toAnswer);
  const outcome = await executeSent(changes, findChange(changes, event), toSent(event), once);
  if ("rejected" in outcome) return outcome;
  const found = outcome.answer;
  if ("becomes" in found) return answerEvent(changes, { event: found.becomes, key, answer });
  if (!("stored" in found))
    return {
      answer: found.question ? answer(await changes.asking.decide(changes, found.question)) : toAnswer(found),
    };
  const { stored } = found;
  return "askedEventId" in stored
    ? { answer: answer(await readDecided(changes, event.programId, stored.askedEventId)) }
    : { answer: stored };
}

/**
 * The answer includes the balances after the event. With a key, the commit requires the balances
 * from which the answer was computed.
 * @throws ApiError IDEMPOTENCY_MISMATCH
 * @throws ContendedError
 */
export async function answerBalances<A>(
  changes: CardChanges,
  { event, key, answer }: AnsweredEvent<(result: AppliedResult, balances: Balances) => A>,
): Promise<AnswerOrRejection<A>> {
  type WithBalances = CardOutcome & { readonly balances: Balances };
  const toAnswer = ({ result, balances }: WithBalances) => answer(result, balances);
  const change = findChange(changes, event);
  if (key) {
    const required = withAnsweredBalances(change);
    const outcome = await executeSent(
      changes,
      required,
      toSent(event),
      onceByKey(changes, event, key, toAnswer),
    );
    if ("rejected" in outcome) return outcome;
    const found = outcome.answer as WithBalances | Stored<A>;
    return { answer: "stored" in found ? (found.stored as A) : toAnswer(found) };
  }
  const { once, read } = readingAfter(onceByKey(changes, event, key, () => undefined));
  const outcome = await executeSent(changes, change, toSent(event), once);
  if ("rejected" in outcome) return outcome;
  const { result } = outcome.answer as CardOutcome;
  return { answer: answer(result, await read(event.programId)) };
}

/** The result of an event that was asked about: waits for it while the question is open. */
async function readDecided(changes: CardChanges, programId: string, eventId: string): Promise<AppliedResult> {
  const record = await eventRecords.at(programId, eventId).get();
  if (record?.question) return changes.asking.awaitDecision(changes, record.question);
  if (record?.result?.outcome !== "applied") throw new Error(`The event ${eventId} has no result.`);
  return record.result;
}
