import * as z from "zod";
import { DecidedBy, type StandInReason } from "../contract/authorization-endpoint.ts";

/** How long after its deadline a question can still be decided. Then it lapses. */
export const lapseAfterMs = 1_000;

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
export interface LateAnswer<Said extends string = string> {
  readonly decision: Said;
  readonly at: string;
}

/** Who decides a question, unless another process was faster. Each kind says what is decided. */
export type DecidedAs = Pick<Decision, "decidedBy" | "reason" | "detail" | "askedAt" | "answeredAt">;

/** The process that asked did not decide in time. */
export const lostByStandIn = {
  decidedBy: "stand_in",
  reason: "lost" satisfies StandInReason,
} as const satisfies DecidedAs;

/** What came of asking. */
export interface Asked<Verdict extends DecidedAs, Said extends string = string> {
  readonly verdict: Verdict;
  /** A valid answer soon after the deadline. Never rejects. */
  readonly late?: Promise<LateAnswer<Said> | undefined>;
  /** Settled when the circuit knows the outcome, or after a moment. Never rejects. */
  readonly recorded?: Promise<unknown>;
}
