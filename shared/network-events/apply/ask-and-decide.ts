import { askReceiver } from "../../authorizations/decisions/ask.ts";
import type { AskReceiver, OpenQuestion, Verdict } from "../../authorizations/decisions/decision.ts";
import { lost } from "../../authorizations/decisions/verdicts.ts";
import { ProcessorResult } from "../../contract/processor.ts";
import { exists } from "../../platform/table/condition.ts";
import { awaitDecided, type Deciding, decideAsAsked } from "../../questions/decide-once.ts";
import type { CardChanges, Surroundings } from "../card-change.ts";
import { type AppliedResult, eventRecords, type Question } from "../plan.ts";
import { executeSent, recordWrites } from "./execute-event.ts";

/**
 * Asks about what this process has reserved, and decides. If it is too late, another process has
 * decided: then returns that.
 * @throws ContendedError
 */
async function askAndDecide(changes: CardChanges, { open, ask }: Question): Promise<AppliedResult> {
  return decideAsAsked(toDeciding(changes, open), await ask(asking.ask));
}

function toDeciding(
  changes: CardChanges,
  open: OpenQuestion,
): Deciding<Verdict, "approve" | "decline", AppliedResult> {
  const { programId, eventId } = open.event;
  return {
    eventId,
    lapsesAt: open.lapsesAt,
    decide: (verdict) => decide(changes, open, verdict),
    readResult: () => readResult(programId, eventId),
    toSaid: ({ approvedMinor }) => (approvedMinor > 0 ? "approve" : "decline"),
    keepLate: (lateAnswer) => eventRecords.at(programId, eventId).updateNow({ set: { lateAnswer } }, exists),
  };
}

/** Waits for the decision of the process that asked. Past the time for it, decides itself. */
function awaitDecision(changes: CardChanges, open: OpenQuestion): Promise<AppliedResult> {
  return awaitDecided(toDeciding(changes, open), lost);
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
    changes,
    changes.authorization_decision,
    { programId, event },
    {
      writes: recordWrites(changes, event),
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

/** What is asked about. Tests replace who answers. */
export const asking: Surroundings["asking"] & { ask: AskReceiver } = {
  ask: askReceiver,
  decide: askAndDecide,
  awaitDecision,
};
