import type { AuthorizationEndpoint } from "../controls/authorization-endpoint.ts";
import { exists } from "../platform/table/condition.ts";
import { type Answer, type Asks, ask, type Judging, toAsked } from "./ask.ts";
import { awaitDecided, decideAsAsked } from "./decide-once.ts";
import { type KeptQuestion, keptQuestions, openQuestion } from "./kept-question.ts";
import type { DecidedAs } from "./question.ts";

/** The network waits no longer for these than so. */
const longestMs = 2_500;

interface DecidedResult {
  readonly decidedBy?: string | undefined;
}

/** A question that is asked before its subject exists. */
export interface AskAbout<A extends Answer, Policy, Outcome extends object, Result extends DecidedResult> {
  readonly programId: string;
  readonly subjectId: string;
  readonly about: KeptQuestion["about"];
  readonly endpoint: AuthorizationEndpoint;
  readonly receivedAt: Date;
  /** What is kept of it until it is decided. */
  readonly request: object;
  readonly asks: (deadlineAt: Date) => Asks<A>;
  readonly judging: Judging<A, Policy, Outcome>;
  readonly toSaid: (verdict: Outcome) => A["kind"];
  readonly lost: DecidedAs & Outcome;
  /** Decides the question once: a second decision gets the first one's result. */
  readonly decide: (question: KeptQuestion, verdict: DecidedAs & Outcome) => Promise<Result>;
  /** The result of what is decided. */
  readonly readResult: () => Promise<Result>;
}

/** Asks once, and decides. A repetition waits for what the first is decided as. */
export async function askAbout<
  A extends Answer,
  Policy,
  Outcome extends object,
  Result extends DecidedResult,
>(of: AskAbout<A, Policy, Outcome, Result>): Promise<Result> {
  const { programId, subjectId, endpoint, receivedAt, lost } = of;
  const deadlineMs = Math.min(endpoint.deadlineMs, longestMs);
  const deadlineAt = new Date(receivedAt.getTime() + deadlineMs);
  const { question, isNew } = await openQuestion({ ...of, deadlineAt });
  const kept = keptQuestions.at(programId, subjectId);
  const deciding = {
    eventId: subjectId,
    lapsesAt: question.lapsesAt,
    decide: (verdict: DecidedAs & Outcome) => of.decide(question, verdict),
    readResult: async () => ((await kept.get())?.request ? undefined : of.readResult()),
    toSaid: of.toSaid,
    keepLate: (lateAnswer: { readonly decision: string; readonly at: string }) =>
      kept.updateNow({ set: { lateAnswer } }, exists),
  };
  if (!question.request) return of.readResult();
  if (!isNew) return awaitDecided(deciding, lost);
  const options = { programId, deadlineAt };
  const asked = await ask({ ...endpoint, deadlineMs }, of.asks(deadlineAt), options);
  return decideAsAsked(deciding, toAsked(asked, of.judging));
}
