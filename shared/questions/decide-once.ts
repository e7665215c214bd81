import { now, pause } from "../platform/clock.ts";
import { log } from "../platform/log.ts";
import type { Asked, DecidedAs, LateAnswer } from "./question.ts";

/** How an open question is decided, once, and where its decision is found. */
export interface Deciding<Verdict extends DecidedAs, Said extends string, Result> {
  readonly eventId: string;
  readonly lapsesAt: string;
  /** Commits the verdict, or returns what another process has decided. */
  readonly decide: (verdict: Verdict) => Promise<Result>;
  /** Undefined while it is open. */
  readonly readResult: () => Promise<Result | undefined>;
  /** What an answer of the receiver said. */
  readonly toSaid: (verdict: Verdict) => Said;
  /** Keeps an answer that changed nothing. */
  readonly keepLate: (answer: LateAnswer<Said>) => Promise<unknown>;
}

/** Decides by what came of asking. If it is too late, another process has decided. */
export async function decideAsAsked<
  Verdict extends DecidedAs,
  Said extends string,
  Result extends { readonly decidedBy?: string | undefined },
>(deciding: Deciding<Verdict, Said, Result>, asked: Asked<Verdict, Said>): Promise<Result> {
  const { verdict, recorded } = asked;
  let { late } = asked;
  try {
    const [result] = await Promise.all([deciding.decide(verdict), recorded]);
    if (result.decidedBy !== verdict.decidedBy) late = Promise.resolve(asLateAnswer(deciding, verdict));
    return result;
  } finally {
    if (late) keepLateAnswer(deciding, late);
  }
}

/** An answer in time that the platform could not commit before the question lapsed. */
function asLateAnswer<Verdict extends DecidedAs, Said extends string>(
  { toSaid }: Pick<Deciding<Verdict, Said, unknown>, "toSaid">,
  verdict: Verdict,
): LateAnswer<Said> | undefined {
  const { decidedBy, answeredAt: at } = verdict;
  if (decidedBy !== "receiver" || at === undefined) return undefined;
  return { decision: toSaid(verdict), at };
}

/** Not awaited: the network has its answer. */
function keepLateAnswer<Said extends string>(
  { eventId, keepLate }: Pick<Deciding<DecidedAs, Said, unknown>, "eventId" | "keepLate">,
  late: Promise<LateAnswer<Said> | undefined>,
): void {
  late
    .then((answer) => answer && keepLate(answer))
    .catch((error: unknown) => log.error("The late answer is not recorded.", { eventId, error }));
}

const longestPauseMs = 200;

/** Waits for the decision of the process that asked. Past the time for it, decides as `lost`. */
export async function awaitDecided<Verdict extends DecidedAs, Result>(
  {
    lapsesAt,
    decide,
    readResult,
  }: Pick<Deciding<Verdict, string, Result>, "lapsesAt" | "decide" | "readResult">,
  lost: Verdict,
): Promise<Result> {
  for (let pauseMs = 20; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const leftMs = Date.parse(lapsesAt) - now().getTime();
    if (leftMs < 0) return decide(lost);
    await pause(Math.min(pauseMs, leftMs + 1));
    const result = await readResult();
    if (result) return result;
  }
}
