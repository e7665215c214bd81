import * as z from "zod";
import { DecidedBy, type StandInReason } from "../../contract/authorization-endpoint.ts";
import type { AtmWithdrawal, Authorization, AuthorizationIncremental } from "../../contract/card-network.ts";
import type { AuthorizationEndpoint } from "../../controls/rulebooks.ts";
import { type Asked, isApprovedBy } from "./ask.ts";

/** What the network waits for, and the Program's receiver is asked about. */
export type AskedEvent = z.output<
  typeof Authorization | typeof AuthorizationIncremental | typeof AtmWithdrawal
>;

/** How long after its deadline a question can still be decided. Then its reservation lapses. */
export const lapseAfterMs = 1_000;

/** A question that is not decided. It is stored with its reservation, before it is asked. */
export const OpenQuestion = z.object({
  /** As the network sent it, with a withdrawal's fee: another process can decide. */
  event: z.custom<AskedEvent>((event) => typeof event === "object" && event !== null),
  /** The platform gives one to a withdrawal that has none. */
  authorizationId: z.string(),
  /** The transaction that will record the decision. */
  transId: z.string(),
  /** What is reserved, in minor units, without a fee. */
  amountMinor: z.int(),
  receivedAt: z.string(),
  lapsesAt: z.string(),
});
export type OpenQuestion = Readonly<z.output<typeof OpenQuestion>>;

/** How a question was decided. */
export const Decision = z.object({
  decidedBy: DecidedBy,
  /** The receiver's, or why the stand-in decided. */
  reason: z.string().optional(),
  /** What was wrong with the answer or the connection. */
  detail: z.string().optional(),
  receivedAt: z.string(),
  askedAt: z.string().optional(),
  answeredAt: z.string().optional(),
  decidedAt: z.string(),
});
export type Decision = Readonly<z.output<typeof Decision>>;

/** An answer after the deadline. It changed nothing. */
export const LateAnswer = z.object({ decision: z.enum(["approve", "decline"]), at: z.string() });

/** What decides a question, unless another process was faster. */
export interface Verdict
  extends Pick<Decision, "decidedBy" | "reason" | "detail" | "askedAt" | "answeredAt"> {
  /** 0 declines. */
  readonly approvedMinor: number;
}

/** The process that asked did not decide in time. */
export const lost: Verdict = {
  decidedBy: "stand_in",
  approvedMinor: 0,
  reason: "lost" satisfies StandInReason,
};

/** Its reversal came first: a withdrawal is not paid out. */
export const reversed: Verdict = {
  decidedBy: "platform",
  approvedMinor: 0,
  reason: "AUTHORIZATION_FINISHED",
};

/** Another transaction settled with the withdrawal's reference code while it was asked about. */
export const referenceTaken: Verdict = { ...reversed, reason: "REFERENCE_EXISTS" };

/** The receiver's answer, or what the stand-in policy says without one. */
export function toVerdict(
  amountMinor: number,
  { standIn }: Pick<AuthorizationEndpoint, "standIn">,
  asked: Asked,
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
