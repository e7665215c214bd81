import {
  AuthorizationAnswer,
  type AuthorizationQuestion,
  type StandIn,
  type StandInReason,
} from "../../contract/authorization-endpoint.ts";
import type { DeliveryError } from "../../contract/webhooks.ts";
import type { AuthorizationEndpoint } from "../../controls/rulebooks.ts";
import { type CallbackOutcome, sendCallback } from "../../platform/callbacks/post.ts";
import { signingSecrets } from "../../platform/callbacks/signature.ts";
import { now, pause, timestamp, unixSeconds } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { log } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import {
  type Asked,
  type AskReceiver,
  type CircuitFailure,
  type CircuitId,
  circuits,
  keepCircuit,
  knowCircuit,
  type LateAnswer,
  type Verdict,
} from "./decision.ts";

export const askReceiver: AskReceiver = async (endpoint, question, { amountMinor, ...options }) =>
  toAsked(amountMinor, endpoint, await ask(endpoint, question, options));

export function toAsked(
  amountMinor: number,
  endpoint: Pick<AuthorizationEndpoint, "standIn">,
  asked: AskedReceiver,
): Asked {
  const verdict = toVerdict(amountMinor, endpoint, asked);
  return asked.asked ? { verdict, late: asked.late, recorded: asked.recorded } : { verdict };
}

/** The receiver's answer, or what the stand-in policy says without one. */
function toVerdict(
  amountMinor: number,
  { standIn }: Pick<AuthorizationEndpoint, "standIn">,
  asked: AskedReceiver,
): Verdict {
  const standInFor = (failure: "timeout" | "connection_error" | "bad_answer", more: Partial<Verdict>) => ({
    decidedBy: "stand_in" as const,
    approvedMinor: isApprovedBy(standIn[policies[failure]], amountMinor) ? amountMinor : 0,
    reason: failure,
    ...more,
  });
  if (!asked.asked) return standInFor(asked.failure, { reason: asked.why });
  const { reply, askedAt, answeredAt } = asked;
  const times = { askedAt, ...(answeredAt !== undefined && { answeredAt }) };
  switch (reply.kind) {
    case "approve":
      return { decidedBy: "receiver", approvedMinor: reply.amountMinor, ...times };
    case "decline": {
      const { reason } = reply;
      return { decidedBy: "receiver", approvedMinor: 0, ...(reason !== undefined && { reason }), ...times };
    }
    default:
      return standInFor(reply.kind, { detail: reply.detail, ...times });
  }
}

const policies = {
  timeout: "timeout",
  connection_error: "connectionError",
  bad_answer: "badAnswer",
} as const satisfies Record<string, keyof AuthorizationEndpoint["standIn"]>;

/** What the receiver decided; of an approval, how much. */
type Answer =
  | { readonly kind: "approve"; readonly amountMinor: number }
  | { readonly kind: "decline"; readonly reason?: string };

/** `detail` helps the operator of the receiver. */
interface Failure {
  readonly kind: CircuitFailure | "bad_answer";
  readonly detail: string;
}
export type Reply = Answer | Failure;

interface AskedOnce {
  readonly reply: Reply;
  readonly askedAt: string;
  /** Absent after a timeout or a connection error. */
  readonly answeredAt?: string;
  /**
   * The answer after a timeout, if it comes soon after the deadline and is valid. Never rejects.
   */
  readonly late: Promise<LateAnswer | undefined>;
}

/** Settled when the circuit knows the outcome, or after a moment. Never rejects. */
interface Recorded {
  readonly recorded: Promise<unknown>;
}

export type AskedReceiver =
  | ({ readonly asked: true } & AskedOnce & Recorded)
  /** `timeout`: no time was left. The stand-in policy is that of `failure`. */
  | {
      readonly asked: false;
      readonly why: "circuit_open" | "timeout";
      readonly failure: CircuitFailure;
    };

interface AskOptions {
  readonly programId: string;
  readonly deadlineAt: Date;
}

/** Asks at most once, unless the receiver is known to be down. Never rejects. */
export async function ask(
  endpoint: AuthorizationEndpoint,
  question: AuthorizationQuestion,
  { programId, deadlineAt }: AskOptions,
): Promise<AskedReceiver> {
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
  const once = await askOnce(endpoint, question, deadlineAt);
  const { reply, askedAt } = once;
  const failure = "detail" in reply ? reply : undefined;
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
export async function askOnce(
  endpoint: AuthorizationEndpoint,
  question: AuthorizationQuestion,
  deadlineAt: Date,
): Promise<AskedOnce> {
  const at = now();
  const leftMs = leftUntil(deadlineAt, endpoint);
  const callback = {
    url: endpoint.url,
    messageId: newId("event"),
    body: Buffer.from(JSON.stringify(question)),
    secrets: signingSecrets(endpoint, at),
  };
  const answered = sendCallback(callback, leftMs + lateMs).then((outcome) => toReply(outcome, question));
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

function toLateAnswer(reply: Reply): LateAnswer | undefined {
  const { kind } = reply;
  return kind === "approve" || kind === "decline" ? { decision: kind, at: timestamp() } : undefined;
}

const badAnswers: readonly DeliveryError[] = ["RESPONSE_INVALID", "RESPONSE_TOO_LARGE", "RESPONSE_ENCODED"];

function toReply({ status, failure, body }: CallbackOutcome, question: AuthorizationQuestion): Reply {
  if (failure === "TIMEOUT") return { kind: "timeout", detail: failure };
  if (failure)
    return { kind: badAnswers.includes(failure) ? "bad_answer" : "connection_error", detail: failure };
  if (status !== 200) return { kind: "bad_answer", detail: `HTTP status ${status}, not 200` };
  return parseAnswer(body, question);
}

function parseAnswer(body: Buffer | undefined, question: AuthorizationQuestion): Reply {
  const bad = (detail: string): Reply => ({ kind: "bad_answer", detail });
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return bad("the body is not JSON in UTF-8");
  }
  const { success, data, error } = AuthorizationAnswer.safeParse(json);
  if (!success) return bad(describeFault(error.issues[0]));
  if (data.decision === "decline") return { kind: "decline", ...(data.reason && { reason: data.reason }) };
  const { amount = question.amount } = data;
  if (amount > question.amount) return bad(`amount: ${amount} is more than ${question.amount}`);
  if (amount < question.amount && !question.partialApprovalSupported) {
    return bad("amount: the terminal does not support a partial approval");
  }
  return { kind: "approve", amountMinor: amount };
}

const maximumDetail = 200;

/** The field and what is allowed, without the value that was found. */
function describeFault(
  issue: { readonly path: PropertyKey[]; readonly message: string } | undefined,
): string {
  const { path = [], message = "" } = issue ?? {};
  return [path.join("."), message]
    .filter((part) => part !== "")
    .join(": ")
    .slice(0, maximumDetail);
}

/** It opens at so many failures in a row, if they came within this time. */
const failuresToOpen = 5;
const failuresWithinMs = 30_000;
const openMs = 5_000;
const keptMs = 86_400_000;

/** `openedBy` if the receiver must not be asked. Of those that come after `openUntil`, one is. */
async function admitQuestion(id: CircuitId): Promise<{ readonly openedBy?: CircuitFailure }> {
  const one = knowCircuit(id);
  const circuit = await one.circuit;
  if (circuit?.url !== id.url) return {};
  if (isOpen(circuit)) return { openedBy: circuit.failure };
  const { openUntil, failure } = circuit;
  const claim = circuits.at(id.programId).updateNow({ set: openFor() }, { url: id.url, openUntil });
  const outcome = await claim;
  const stored = outcome.updated ? outcome.item : outcome.stored;
  keepCircuit(one, Promise.resolve(stored));
  return outcome.updated || !stored ? {} : { openedBy: failure };
}

/** A process whose clock was ahead may have opened it: it is over after the usual time. */
function isOpen({ openUntil }: { readonly openUntil: string }): boolean {
  const at = now();
  return openUntil > timestamp(at) && openUntil <= timestamp(new Date(at.getTime() + openMs));
}

function openFor() {
  const at = now().getTime();
  return {
    openUntil: timestamp(new Date(at + openMs)),
    expiresAtSeconds: unixSeconds(new Date(at + keptMs)),
  };
}

/** Closes the circuit. */
async function recordAnswer(id: CircuitId): Promise<void> {
  const one = knowCircuit(id);
  one.failedAt = [];
  if (!(await one.circuit)) return;
  keepCircuit(one, Promise.resolve(undefined));
  await circuits.at(id.programId).deleteNow();
}

/** Opens it at the last of several in a row. A probe has set the next probe before it asked. */
async function recordFailure(id: CircuitId, failure: CircuitFailure): Promise<void> {
  const one = knowCircuit(id);
  if ((await one.circuit)?.url === id.url) return;
  const at = now().getTime();
  one.failedAt = [...one.failedAt, at].slice(-failuresToOpen);
  const [first = at] = one.failedAt;
  if (one.failedAt.length < failuresToOpen || at - first > failuresWithinMs) return;
  one.failedAt = [];
  const opened = await circuits.at(id.programId).updateNow({ set: { url: id.url, failure, ...openFor() } });
  if (opened.updated) keepCircuit(one, Promise.resolve(opened.item));
}

/** Whether the stand-in policy approves the amount. */
function isApprovedBy(standIn: StandIn, amountMinor: number): boolean {
  return typeof standIn === "object" ? amountMinor <= standIn.approveUpTo : standIn === "approve";
}
