import * as z from "zod";
import type { Change, OfProgram } from "../changes/change.ts";
import { QuestionType } from "../contract/authorization-endpoint.ts";
import { timestamp } from "../platform/clock.ts";
import { CarriedDeadline, defineDeadline, noDeadline, toStoredDeadline } from "../platform/deadlines.ts";
import { isNew, present } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { type DecidedAs, Decision, lapseAfterMs } from "./question.ts";

/** The question about a token or an authentication, which does not exist before it is decided. */
const KeptQuestion = z.object({
  /** What it would be. Only while the question is open: another process can decide. */
  request: z.custom<object>((value) => typeof value === "object" && value !== null).optional(),
  about: QuestionType,
  receivedAt: z.string(),
  lapsesAt: z.string(),
  decision: Decision.optional(),
  lateAnswer: z.object({ decision: z.string(), at: z.string() }).optional(),
  /** Its lapse, while it is open. */
  ...CarriedDeadline.shape,
});
export type KeptQuestion = Readonly<z.output<typeof KeptQuestion>>;

/** `subjectId`: that of the token or authentication. */
export const keptQuestions = defineEntity({
  name: "question",
  schema: KeptQuestion,
  key: (programId: string, subjectId: string) => ({ pk: `${programId}#${subjectId}`, sk: "QUESTION" }),
});

const lapse = defineDeadline("lapse_question", "urgent");

interface Opening {
  readonly programId: string;
  readonly subjectId: string;
  readonly about: QuestionType;
  readonly request: object;
  readonly receivedAt: Date;
  readonly deadlineAt: Date;
}

/** Opens a question, unless there is one already. */
export async function openQuestion({
  programId,
  subjectId,
  about,
  request,
  receivedAt,
  deadlineAt,
}: Opening): Promise<{ readonly question: KeptQuestion; readonly isNew: boolean }> {
  const dueAt = new Date(deadlineAt.getTime() + lapseAfterMs);
  const question = {
    ...{ request, about, receivedAt: timestamp(receivedAt), lapsesAt: timestamp(dueAt) },
    ...toStoredDeadline(lapse.at({ ownerId: programId, deadlineId: subjectId, dueAt })),
  };
  const kept = keptQuestions.at(programId, subjectId);
  const outcome = await transact([kept.put(question, isNew)]);
  if (outcome.committed) return { question, isNew: true };
  const first = keptQuestions.parse(outcome.failedConditions.get("question"));
  return { question: first ?? (await kept.require()), isNew: false };
}

/** How a change decides a question. */
interface Closing<Event, Answer, Verdict extends DecidedAs> {
  readonly subjectId: string;
  readonly question: KeptQuestion;
  readonly verdict: Verdict;
  /** Takes the verdict's place where its time is over. */
  readonly lost: Verdict;
  readonly withVerdict: (event: Event, verdict: Verdict) => Event;
  /** Who has decided in the end: the Card may be closed meanwhile. */
  readonly decidedAs: (answer: Answer, verdict: Verdict) => Pick<Decision, "decidedBy" | "reason">;
}

/** The change that a question was asked about. Its commit closes the question, once. */
export function closing<
  Event extends OfProgram,
  Found extends object,
  Answer,
  Code extends string,
  Verdict extends DecidedAs,
>(
  change: Change<Event, Found, Answer, Code>,
  { subjectId, question, verdict, lost, withVerdict, decidedAs }: Closing<Event, Answer, Verdict>,
): Change<Event, Found, Answer, Code> {
  const close = (event: Event, answer: Answer, of: Verdict, at: Date): WriteAction => {
    const { about, receivedAt, lapsesAt } = question;
    const { detail, askedAt, answeredAt } = of;
    const times = { receivedAt, askedAt, answeredAt, decidedAt: timestamp(at) };
    const decision = { ...decidedAs(answer, of), detail, ...times };
    const closed = { about, receivedAt, lapsesAt, decision, ...noDeadline };
    return keptQuestions.at(event.programId, subjectId).put(closed, { request: present });
  };
  return {
    reads: (event) => change.reads(event),
    decide: (event, found, at) => {
      const { askedAt, answeredAt } = verdict;
      const isLate = timestamp(at) > question.lapsesAt;
      const inTime = isLate ? { ...lost, askedAt, answeredAt } : verdict;
      const decided = change.decide(withVerdict(event, inTime), found, at);
      if (!("answer" in decided)) return decided;
      return { ...decided, writes: [...decided.writes, close(event, decided.answer, inTime, at)] };
    },
  };
}
