import type { ErrorCode } from "../contract/errors.ts";
import { commit } from "../ledger/commit.ts";
import { now } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { findStoredAnswer, type IdempotencyKey, idempotencyPut } from "../platform/idempotency.ts";
import { Conflict, ContendedError, retryDecision } from "../platform/table/retry.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import {
  type Change,
  type Decided,
  type OfProgram,
  type Read,
  type Reads,
  type Rejected,
  unread,
} from "./change.ts";

/** How a change is made once, however often it is sent. */
export interface Once<Answer, First = Answer> {
  /** Written with the change: their conditions fail if it has been made. */
  readonly writes: (decided: Decided<Answer>, at: Date) => readonly WriteAction[];
  /** The first answer, if it has been made. Without failed conditions, the change was rejected. */
  readonly first: (failed: FailedConditions | undefined, rejected?: string) => Promise<First | undefined>;
}

export type AnswerOrRejection<Answer, Code extends string> = Answered<Answer> | Rejected<Code>;

interface Answered<Answer> {
  readonly answer: Answer;
  /** Absent from a repetition, which has changed nothing. */
  readonly isNew?: true;
}

/** What a change needs may be used up by others while it is read: it asks for it again. */
const maximumReads = 50;

/**
 * Reads, decides, commits, and decides again from what failed conditions have found: the first time
 * without a delay.
 * @throws ContendedError when the time for retries is up
 */
export async function execute<
  Event extends OfProgram,
  Found extends object,
  Answer,
  Code extends string,
  First = Answer,
>(
  change: Change<Event, Found, Answer, Code>,
  event: Event,
  once?: Once<Answer, First>,
): Promise<AnswerOrRejection<Answer | First, Code>> {
  const { programId } = event;
  let reads = change.reads(event);
  let found = await readAll(reads);
  let failures = 0;
  let committed: readonly WriteAction[] = [];

  const decide = async () => {
    for (let times = 1; ; times += 1) {
      // What has ended before it was read does not count.
      const at = now();
      const decision = change.decide(event, found, at);
      if (!("readMore" in decision)) return { decision, at };
      if (times === maximumReads) throw new ContendedError(Object.keys(decision.readMore));
      reads = { ...reads, ...decision.readMore };
      found = { ...found, ...(await readAll(decision.readMore)) };
    }
  };

  const executed = retryDecision<AnswerOrRejection<Answer | First, Code>>(async () => {
    const { decision, at } = await decide();
    if ("done" in decision) return { answer: decision.done };
    if ("rejected" in decision) {
      const first = await once?.first(undefined, decision.rejected);
      return first === undefined ? decision : { answer: first };
    }
    const { answer, redelivery: _, balancesOf: __, whenCommitted, ...changed } = decision;
    const writes = [...changed.writes, ...(once?.writes(decision, at) ?? [])];
    const outcome = await commit({ ...changed, programId, at, writes });
    if (outcome.outcome === "committed") {
      committed = writes;
      whenCommitted?.();
      return { answer, isNew: true };
    }
    const { failedConditions: failed } = outcome;
    const first = await once?.first(failed);
    if (first !== undefined) return { answer: first };
    found = await renewAll(reads, found, failed, failures > 0);
    failures += 1;
    return new Conflict(...(failed.size > 0 ? failed.keys() : ["account"]));
  });
  return executed.finally(() => releaseAll(reads, found, committed));
}

type AnyReads = Readonly<Record<string, Read<unknown>>>;

async function readAll<Found extends object>(reads: Partial<Reads<Found>>): Promise<Found> {
  const named = Object.entries(reads as AnyReads);
  const found = await Promise.all(
    named.map(async ([name, read]) => [name, read.isLater ? unread : await read.get()] as const),
  );
  return Object.fromEntries(found) as Found;
}

/** Puts what failed conditions have found in the place of what was read. */
async function renewAll<Found extends object>(
  reads: Reads<Found>,
  found: Found,
  failed: FailedConditions,
  waited: boolean,
): Promise<Found> {
  const all = Object.entries(reads as AnyReads);
  const isUnread = [...failed.keys()].every((name) => !(name in reads));
  // It would be decided as before, for ever.
  if (failed.size > 0 && isUnread && !all.some(([, read]) => read.renew))
    throw new Error(`The change does not read what it has conditions on: ${[...failed.keys()].join(", ")}.`);
  const renewed = await Promise.all(
    all.map(async ([name, read]) => {
      const seen = (found as Readonly<Record<string, unknown>>)[name];
      if (seen === unread && !failed.has(name)) return [name, seen] as const;
      if (read.renew)
        return [name, await read.renew(seen === unread ? undefined : seen, failed, waited)] as const;
      return [name, failed.has(name) ? read.parse?.(failed.get(name)) : seen] as const;
    }),
  );
  return Object.fromEntries(renewed) as Found;
}

function releaseAll<Found extends object>(reads: Reads<Found>, found: Found, writes: readonly WriteAction[]) {
  for (const [name, read] of Object.entries(reads as AnyReads)) {
    const seen = (found as Readonly<Record<string, unknown>>)[name];
    if (seen !== unread && seen !== undefined) read.release?.(seen, writes);
  }
}

/**
 * Makes the change that a request asks for. With a key, its answer is stored in the same commit:
 * its repetitions get that.
 * @throws ApiError with the code of a rejection; IDEMPOTENCY_MISMATCH if the key is another's
 * @throws ContendedError when the time for retries is up
 */
export async function answerRequest<Event extends OfProgram, Found extends object, Answer>(
  change: Change<Event, Found, Answer, ErrorCode>,
  event: Event,
  key: IdempotencyKey | undefined,
): Promise<Answer> {
  const outcome = await execute(change, event, key && onceByKey(event.programId, key));
  if ("answer" in outcome) return outcome.answer;
  throw new ApiError(outcome.rejected, outcome.faults ?? [], outcome.existingId, outcome.message);
}

function onceByKey<Answer>(programId: string, key: IdempotencyKey): Once<Answer> {
  return {
    writes: ({ answer }, at) => [idempotencyPut(programId, key, answer, at)],
    first: async (failed) => (await findStoredAnswer<Answer>(programId, key, failed))?.answer,
  };
}
