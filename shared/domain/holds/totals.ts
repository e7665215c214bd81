import * as z from "zod";
import type { HoldState } from "./hold.ts";

const TotalAt = z.object({
  amountMinor: z.int(),
  /** When it occurred in the network. */
  at: z.string(),
});
type TotalAt = Readonly<z.output<typeof TotalAt>>;

/**
 * What the network has sent of an authorization as totals instead of changes. They count in the
 * order in which they occurred, whenever they come.
 */
export const Totals = z.object({
  /** The last total: what occurred before it is in it. */
  set: TotalAt.optional(),
  /** What later reversals have left, the oldest first, and so the smallest. */
  limits: z.array(TotalAt),
});
export type Totals = Readonly<z.output<typeof Totals>>;

/**
 * Sets what is authorized, cleared or not, unless a later total is known. Of two at the same time,
 * the higher counts, before reversals at that time. Without a time, it is the last until now.
 */
export function setTotal<S extends HoldState>(state: S, amountMinor: number, time?: string): S {
  const { set, limits } = state.totals ?? { limits: [] };
  const at = time ?? lastTimeOf(state);
  const isTie = set !== undefined && time !== undefined && set.at === at;
  if (set && (set.at > at || (isTie && set.amountMinor >= amountMinor))) return state;
  const { releasedMinor, clearedMinor } = state;
  const left = limits.filter((limit) => limit.at > at || (time !== undefined && limit.at === at));
  return {
    ...state,
    authorizedMinor: amountMinor + releasedMinor - clearedMinor,
    totals: { set: { amountMinor, at }, limits: left },
  };
}

/** Limits what is authorized, now or when it comes, unless a later total is known. */
export function limitTotal<S extends HoldState>(state: S, amountMinor: number, at = lastTimeOf(state)): S {
  const { set, limits } = state.totals ?? { limits: [] };
  if (set && set.at > at) return state;
  const isImplied = limits.some((limit) => limit.at >= at && limit.amountMinor <= amountMinor);
  if (isImplied) return state;
  const others = limits.filter((limit) => limit.at > at || limit.amountMinor < amountMinor);
  const all = [...others, { amountMinor, at }].toSorted((one, other) => (one.at < other.at ? -1 : 1));
  return { ...state, totals: { ...(set && { set }), limits: all } };
}

function lastTimeOf({ totals }: HoldState): string {
  return totals?.limits.at(-1)?.at ?? totals?.set?.at ?? "";
}

/** Adds an amount, unless a total has it already. Limits from before it grow with it. */
export function addToTotals<S extends HoldState>(
  state: S,
  { set, limits }: Totals,
  addedMinor: number,
  at: string | undefined,
): S {
  const isLater = (total: TotalAt) => at !== undefined && at > total.at;
  if (set && !isLater(set)) return state;
  const raised = limits.map((limit) =>
    isLater(limit) ? { ...limit, amountMinor: limit.amountMinor + addedMinor } : limit,
  );
  const authorizedMinor = state.authorizedMinor + addedMinor;
  return { ...state, authorizedMinor, totals: { ...(set && { set }), limits: raised } };
}

/** What is left of an amount of which a part was cleared. */
export function withinLimits({ totals, clearedMinor }: HoldState, leftMinor: number): number {
  return (totals?.limits ?? []).reduce(
    (left, { amountMinor }) => Math.min(left, amountMinor - clearedMinor),
    leftMinor,
  );
}
