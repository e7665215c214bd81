import { type AskedOnce, ask } from "../../authorizations/decisions/ask.ts";
import { lost, type OpenQuestion, toVerdict, type Verdict } from "../../authorizations/decisions/decision.ts";
import { ProcessorResult } from "../../contract/processor.ts";
import { now, pause } from "../../platform/clock.ts";
import { log } from "../../platform/log.ts";
import { exists } from "../../platform/table/condition.ts";
import type { CardChanges } from "../card-change.ts";
import { eventRecords } from "../event-record.ts";
import type { AppliedResult, Question } from "../plan.ts";
import { executeSent, recordWrites } from "./execute-card-event.ts";

/** Tests replace it. */
export const replaceable = { ask };

/**
 * Asks about what this process has reserved, and decides. If it is too late, another process has
 * decided: then returns that.
 * @throws ContendedError
 */
export async function askAndDecide(
  changes: CardChanges,
  { open, asks, endpoint, deadlineAt }: Question,
): Promise<AppliedResult> {
  const asked = await replaceable.ask(endpoint, asks, { programId: open.event.programId, deadlineAt });
  const verdict = toVerdict(open.amountMinor, endpoint, asked);
  let late = asked.asked ? asked.late : undefined;
  try {
    const [result] = await Promise.all([decide(changes, open, verdict), asked.asked && asked.recorded]);
    if (result.decidedBy !== verdict.decidedBy) late = Promise.resolve(asLateAnswer(verdict));
    return result;
  } finally {
    if (late) keepLateAnswer(open, late);
  }
}

/** An answer in time that the platform could not commit before the question lapsed. */
function asLateAnswer({ decidedBy, approvedMinor, answeredAt: at }: Verdict) {
  if (decidedBy !== "receiver" || at === undefined) return undefined;
  return { decision: approvedMinor > 0 ? ("approve" as const) : ("decline" as const), at };
}

/** Not awaited: the network has its answer. */
function keepLateAnswer({ event: { programId, eventId } }: OpenQuestion, late: AskedOnce["late"]): void {
  const record = eventRecords.at(programId, eventId);
  late
    .then((answer) => answer && record.updateNow({ set: { lateAnswer: answer } }, exists))
    .catch((error: unknown) => log.error("The late answer is not recorded.", { eventId, error }));
}

const longestPauseMs = 200;

/** Waits for the decision of the process that asked. Past the time for it, decides itself. */
export async function awaitDecision(changes: CardChanges, open: OpenQuestion): Promise<AppliedResult> {
  const { programId, eventId } = open.event;
  for (let pauseMs = 20; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const leftMs = Date.parse(open.lapsesAt) - now().getTime();
    if (leftMs < 0) return decide(changes, open, lost);
    await pause(Math.min(pauseMs, leftMs + 1));
    const result = await readResult(programId, eventId);
    if (result) return result;
  }
}

/** The result of an event that was asked about: waits for it while the question is open. */
export async function readDecided(
  changes: CardChanges,
  programId: string,
  eventId: string,
): Promise<AppliedResult> {
  const record = await eventRecords.at(programId, eventId).get();
  if (record?.question) return awaitDecision(changes, record.question);
  if (record?.result?.outcome !== "applied") throw new Error(`The event ${eventId} has no result.`);
  return record.result;
}

/** Declines what was asked and never decided: its process was lost. */
export async function lapse(changes: CardChanges, programId: string, eventId: string): Promise<void> {
  const record = await eventRecords.at(programId, eventId).get();
  if (record?.question) await decide(changes, record.question, lost);
}

/** One decision commits. The others return it. */
async function decide(changes: CardChanges, open: OpenQuestion, verdict: Verdict): Promise<AppliedResult> {
  const { authorizationId } = open;
  const { kind: decides, programId, cardId, eventId, withBalances, requestHash } = open.event;
  const ids = { programId, cardId, eventId, authorizationId, requestHash };
  const event = { kind: "authorization_decision", decides, withBalances, ...ids, verdict } as const;
  const outcome = await executeSent(
    changes.authorization_decision,
    { programId, event },
    {
      writes: recordWrites(event),
      first: async (failed) => {
        const result = eventRecords.parse(failed?.get("decision"))?.result;
        return result && { result };
      },
    },
  );
  const answer = "answer" in outcome && "result" in outcome.answer ? outcome.answer : undefined;
  const result = answer ? ProcessorResult.parse(answer.result) : await readResult(programId, eventId);
  if (result?.outcome !== "applied") throw new Error(`The question of ${eventId} cannot be decided.`);
  return result;
}

async function readResult(programId: string, eventId: string): Promise<AppliedResult | undefined> {
  const result = (await eventRecords.at(programId, eventId).get())?.result;
  return result?.outcome === "applied" ? result : undefined;
}
