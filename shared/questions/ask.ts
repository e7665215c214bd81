import type { StandInReason } from "../contract/authorization-endpoint.ts";
import type { DeliveryError } from "../contract/webhooks.ts";
import type { AuthorizationEndpoint } from "../controls/authorization-endpoint.ts";
import { type CallbackOutcome, sendCallback } from "../platform/callbacks/post.ts";
import { signingSecrets } from "../platform/callbacks/signature.ts";
import { now, pause, timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { log } from "../platform/log.ts";
import { logMeasured } from "../platform/metrics.ts";
import { admitQuestion, type CircuitFailure, recordAnswer, recordFailure } from "./circuit.ts";
import type { Asked, DecidedAs, LateAnswer } from "./question.ts";

/** What a receiver decided. It has no `detail`. */
export interface Answer {
  readonly kind: string;
  readonly reason?: string;
}

/** `detail` helps the operator of the receiver. */
export interface Failure {
  readonly kind: CircuitFailure | "bad_answer";
  readonly detail: string;
}
export type Reply<A extends Answer> = A | Failure;

/** What is asked, and how an answer to it is read. */
export interface Asks<A extends Answer> {
  readonly question: object;
  readonly parse: (json: unknown) => Reply<A>;
}

interface AskedOnce<A extends Answer> {
  readonly reply: Reply<A>;
  readonly askedAt: string;
  /** Absent after a timeout or a connection error. */
  readonly answeredAt?: string;
  /**
   * The answer after a timeout, if it comes soon after the deadline and is valid. Never rejects.
   */
  readonly late: Promise<LateAnswer<A["kind"]> | undefined>;
}

/** Settled when the circuit knows the outcome, or after a moment. Never rejects. */
interface Recorded {
  readonly recorded: Promise<unknown>;
}

export type AskedReceiver<A extends Answer> =
  | ({ readonly asked: true } & AskedOnce<A> & Recorded)
  /** `timeout`: no time was left. The stand-in policy is that of `failure`. */
  | {
      readonly asked: false;
      readonly why: "circuit_open" | "timeout";
      readonly failure: CircuitFailure;
    };

/** What answers and policies of one kind of question decide. */
export interface Judging<A extends Answer, Policy, Outcome> {
  readonly policies: Readonly<Record<"timeout" | "connectionError" | "badAnswer", Policy>>;
  readonly byAnswer: (answer: A) => Outcome;
  readonly byPolicy: (policy: Policy) => Outcome;
}

/** The receiver's answer, or what the stand-in policy says without one. */
export function toAsked<A extends Answer, Policy, Outcome extends object>(
  asked: AskedReceiver<A>,
  { policies, byAnswer, byPolicy }: Judging<A, Policy, Outcome>,
): Asked<DecidedAs & Outcome, A["kind"]> {
  const standInFor = (failure: Failure["kind"], more: Partial<DecidedAs>) => ({
    decidedBy: "stand_in" as const,
    ...byPolicy(policies[policyNames[failure]]),
    reason: failure,
    ...more,
  });
  if (!asked.asked) return { verdict: standInFor(asked.failure, { reason: asked.why }) };
  const { reply, askedAt, answeredAt, late, recorded } = asked;
  const times = { askedAt, ...(answeredAt !== undefined && { answeredAt }) };
  if (isFailure(reply))
    return { verdict: standInFor(reply.kind, { detail: reply.detail, ...times }), late, recorded };
  const { reason } = reply;
  const why = reason === undefined ? {} : { reason };
  return { verdict: { decidedBy: "receiver", ...byAnswer(reply), ...why, ...times }, late, recorded };
}

const policyNames = {
  timeout: "timeout",
  connection_error: "connectionError",
  bad_answer: "badAnswer",
} as const;

export function isFailure(reply: Reply<Answer>): reply is Failure {
  return "detail" in reply;
}

/** Asks at most once, unless the receiver is known to be down. Never rejects. */
export async function ask<A extends Answer>(
  endpoint: AuthorizationEndpoint,
  asks: Asks<A>,
  { programId, deadlineAt }: { programId: string; deadlineAt: Date },
): Promise<AskedReceiver<A>> {
  const circuit = { programId, url: endpoint.url };
  // Without the circuit, the receiver is asked.
  const admission = await admitQuestion(circuit).catch(logFault);
  if (admission?.openedBy) {
    measure(programId, "circuit_open");
    return { asked: false, why: "circuit_open", failure: admission.openedBy };
  }
  // Too little time left is the platform's delay, not the receiver's failure.
  if (leftUntil(deadlineAt, endpoint) < minimumMs)
    return { asked: false, why: "timeout", failure: "timeout" };
  const once = await askOnce(endpoint, asks, deadlineAt);
  const { reply, askedAt } = once;
  const failure = isFailure(reply) ? reply : undefined;
  const latencyMs = now().getTime() - Date.parse(askedAt);
  measure(programId, failure?.kind, { latencyMs, detail: failure?.detail });
  const isDown = failure !== undefined && failure.kind !== "bad_answer";
  const recording = isDown ? recordFailure(circuit, failure.kind) : recordAnswer(circuit);
  const recorded = Promise.race([recording.catch(logFault), pause(recordingMs)]);
  const late = once.late.then((answer) => {
    if (answer) logMeasured("The receiver answered late.", { programId }, () => ({ LateAnswers: 1 }));
    return answer;
  });
  return { asked: true, ...once, late, recorded };
}

/** A question with less time is not asked. */
const minimumMs = 50;
/** The network does not wait longer for the circuit. */
const recordingMs = 100;

/** At most the whole time for an answer: a clock may be set back. */
function leftUntil(deadlineAt: Date, { deadlineMs }: AuthorizationEndpoint): number {
  return Math.min(deadlineMs, Math.max(0, deadlineAt.getTime() - now().getTime()));
}

function logFault(error: unknown): undefined {
  log.error("The authorization endpoint's circuit could not be used.", { error });
}

function measure(
  programId: string,
  reason: StandInReason | undefined,
  { latencyMs, detail }: { readonly latencyMs?: number; readonly detail?: string | undefined } = {},
): void {
  logMeasured("The receiver's answer.", { programId, reason, detail }, () => ({
    Questions: 1,
    ...(reason !== undefined && { QuestionsFailed: 1 }),
    ...(latencyMs !== undefined && { AnswerLatency: latencyMs }),
  }));
}

/** How long after the deadline an answer is still read. */
const lateMs = 10_000;

/** Without the circuit. Never rejects. */
export async function askOnce<A extends Answer>(
  endpoint: AuthorizationEndpoint,
  asks: Asks<A>,
  deadlineAt: Date,
): Promise<AskedOnce<A>> {
  const at = now();
  const leftMs = leftUntil(deadlineAt, endpoint);
  const callback = {
    url: endpoint.url,
    messageId: newId("event"),
    body: Buffer.from(JSON.stringify(asks.question)),
    secrets: signingSecrets(endpoint, at),
  };
  const answered = sendCallback(callback, leftMs + lateMs).then((outcome) => toReply(outcome, asks));
  const reply = await Promise.race([answered, expiry(leftMs)]);
  const askedAt = timestamp(at);
  if (reply) {
    const hasAnswer = reply.kind !== "timeout" && reply.kind !== "connection_error";
    return {
      reply,
      askedAt,
      ...(hasAnswer && { answeredAt: timestamp() }),
      late: Promise.resolve(undefined),
    };
  }
  const detail = `no answer within ${leftMs} ms`;
  return { reply: { kind: "timeout", detail }, askedAt, late: answered.then(toLateAnswer) };
}

function expiry(leftMs: number): Promise<undefined> {
  return new Promise((done) => {
    AbortSignal.timeout(leftMs).addEventListener("abort", () => done(undefined), { once: true });
  });
}

function toLateAnswer<A extends Answer>(reply: Reply<A>): LateAnswer<A["kind"]> | undefined {
  return isFailure(reply) ? undefined : { decision: reply.kind, at: timestamp() };
}

const badAnswers: readonly DeliveryError[] = ["RESPONSE_INVALID", "RESPONSE_TOO_LARGE", "RESPONSE_ENCODED"];

function toReply<A extends Answer>({ status, failure, body }: CallbackOutcome, { parse }: Asks<A>): Reply<A> {
  if (failure === "TIMEOUT") return { kind: "timeout", detail: failure };
  if (failure)
    return { kind: badAnswers.includes(failure) ? "bad_answer" : "connection_error", detail: failure };
  if (status !== 200) return badAnswer(`HTTP status ${status}, not 200`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return badAnswer("the body is not JSON in UTF-8");
  }
  return parse(json);
}

export function badAnswer(detail: string): Failure {
  return { kind: "bad_answer", detail };
}

const maximumDetail = 200;

/** The field and what is allowed, without the value that was found. */
export function describeFault(issue: { readonly path: PropertyKey[]; readonly message: string } | undefined) {
  const { path = [], message = "" } = issue ?? {};
  return [path.join("."), message]
    .filter((part) => part !== "")
    .join(": ")
    .slice(0, maximumDetail);
}
