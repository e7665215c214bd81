import * as z from "zod";
import {
  type AuthorizationQuestion,
  DecidedBy,
  type StandInReason,
} from "../../contract/authorization-endpoint.ts";
import type { AtmWithdrawal, Authorization, AuthorizationIncremental } from "../../contract/card-network.ts";
import {
  type AuthorizationEndpoint,
  lastProgramControls,
  leaseMs,
  readProgramControls,
} from "../../controls/rulebooks.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { now } from "../../platform/clock.ts";
import { defineEntity } from "../../platform/table/entity.ts";

/** What the network waits for, and the Program's receiver is asked about. */
type AskedEvent = z.output<typeof Authorization | typeof AuthorizationIncremental | typeof AtmWithdrawal>;

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
export type LateAnswer = Readonly<z.output<typeof LateAnswer>>;

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

interface Asking {
  readonly programId: string;
  readonly deadlineAt: Date;
  /** What is reserved, in minor units. */
  readonly amountMinor: number;
}

/** What came of asking. */
export interface Asked {
  readonly verdict: Verdict;
  /** A valid answer soon after the deadline. Never rejects. */
  readonly late?: Promise<LateAnswer | undefined>;
  /** Settled when the circuit knows the outcome, or after a moment. Never rejects. */
  readonly recorded?: Promise<unknown>;
}

/** Asks a Program's receiver at most once: `ask.ts`. Never rejects. */
export type AskReceiver = (
  endpoint: AuthorizationEndpoint,
  question: AuthorizationQuestion,
  asking: Asking,
) => Promise<Asked>;

const CircuitFailure = z.enum(["timeout", "connection_error"]);
export type CircuitFailure = z.output<typeof CircuitFailure>;

/** Exists while a receiver is known to be down. Written only on a change, and by each probe. */
const Circuit = z.object({
  url: z.string(),
  /** From then on, one authorization may probe. */
  openUntil: z.string(),
  /** The last failure before it opened. */
  failure: CircuitFailure,
  /** Long after the last probe: the endpoint may be deleted. */
  expiresAtSeconds: z.int(),
});
type Circuit = z.output<typeof Circuit>;

export const circuits = defineEntity({
  name: "circuit",
  schema: Circuit,
  key: (programId: string) => ({ pk: `${programId}#CONTROLS`, sk: "CIRCUIT" }),
});

/** A changed URL begins anew. */
export interface CircuitId {
  readonly programId: string;
  readonly url: string;
}

interface Known {
  /** When each failure since the last answer came. */
  failedAt: readonly number[];
  circuit: Promise<Circuit | undefined>;
  readAt: number;
}

/** Some hundred bytes each. One that is pushed out begins to count its failures anew. */
const known = new BoundedMap<string, Known>(2_000);

/** What is known is at most `leaseMs` old. */
export function knowCircuit({ programId, url }: CircuitId): Known {
  const one = known.getOrMake(`${programId} ${url}`, () => ({
    failedAt: [],
    circuit: Promise.resolve(undefined),
    readAt: Number.NEGATIVE_INFINITY,
  }));
  const age = now().getTime() - one.readAt;
  if (age < 0 || age >= leaseMs) keepCircuit(one, circuits.at(programId).get());
  return one;
}

export function keepCircuit(one: Known, circuit: Promise<Circuit | undefined>): void {
  one.circuit = circuit;
  one.readAt = now().getTime();
  circuit.catch(() => {
    one.readAt = Number.NEGATIVE_INFINITY;
  });
}

/** Whether there was one when it was last read: a hint of what to read next. */
export async function mayHaveEndpoint(programId: string): Promise<boolean> {
  return (await lastProgramControls(programId))?.endpoint !== undefined;
}

/**
 * Where a Program's authorizations are asked about; undefined without a question. No round trip in
 * most calls: it is at most `leaseMs` old.
 */
export async function readEndpoint(programId: string): Promise<AuthorizationEndpoint | undefined> {
  const { endpoint } = await readProgramControls(programId);
  // It is read beside other work, so that the question does not wait for it.
  if (endpoint) knowCircuit({ programId, url: endpoint.url });
  return endpoint;
}
