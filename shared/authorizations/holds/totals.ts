import * as z from "zod";

const AmountAt = z.object({
  amountMinor: z.int(),
  /** When it occurred in the network. */
  at: z.string(),
});
type AmountAt = Readonly<z.output<typeof AmountAt>>;

/**
 * What the network has sent of an authorization as totals instead of changes. They count in the
 * order in which they occurred, whenever they come.
 */
export const Totals = z.object({
  /** The last total: what occurred before it is in it. */
  set: AmountAt.optional(),
  /** What later reversals have left. Changes after each are not in it. */
  limits: z.array(AmountAt),
});
export type Totals = Readonly<z.output<typeof Totals>>;

/**
 * Increments, and negative partial reversals, since the last total: one that occurred earlier can
 * still come. In the order of time; also part of what is authorized and released.
 */
export const Changes = z.array(AmountAt);

/** What totals and changes are applied to: a part of the hold. */
interface Totalled extends Readonly<Record<"authorizedMinor" | "releasedMinor" | "clearedMinor", number>> {
  readonly totals?: Totals | undefined;
  readonly changes?: readonly AmountAt[] | undefined;
}

/** A hold would grow with each. */
const maximumKept = 20;

/** Adds an increment, or takes a partial reversal, unless a later total has it already. */
export function applyChange<S extends Totalled>(state: S, amountMinor: number, at: string): S {
  const { totals, changes = [], authorizedMinor, releasedMinor } = state;
  if (amountMinor === 0 || (totals?.set && totals.set.at >= at)) return state;
  return {
    ...state,
    ...(amountMinor > 0
      ? { authorizedMinor: authorizedMinor + amountMinor }
      : { releasedMinor: releasedMinor - amountMinor }),
    changes: upToMaximum([...changes, { amountMinor, at }].toSorted(byTime)),
  };
}

/** Sums the oldest two of too many. Only a total from between them would count one too much. */
function upToMaximum(changes: readonly AmountAt[]): readonly AmountAt[] {
  const [first, second, ...others] = changes;
  if (!first || !second || changes.length <= maximumKept) return changes;
  return [{ amountMinor: first.amountMinor + second.amountMinor, at: second.at }, ...others];
}

/**
 * Sets what is authorized, cleared or not, unless a later total is known. Of two at the same time,
 * the higher counts, before reversals at that time. Without a time, it is the last until now.
 */
export function setTotal<S extends Totalled>(state: S, amountMinor: number, time?: string): S {
  const { releasedMinor, clearedMinor, changes = [] } = state;
  const { set, limits } = state.totals ?? { limits: [] };
  const at = time ?? lastTimeOf(state);
  const isTie = set !== undefined && time !== undefined && set.at === at;
  if (set && (set.at > at || (isTie && set.amountMinor >= amountMinor))) return state;
  const later = time === undefined ? [] : changes.filter((change) => change.at > at);
  return {
    ...state,
    authorizedMinor: amountMinor + releasedMinor - clearedMinor + sumAfter(later, at),
    changes: later.length > 0 ? later : undefined,
    totals: {
      set: { amountMinor, at },
      limits: limits.filter((limit) => limit.at > at || (time !== undefined && limit.at === at)),
    },
  };
}

/** Limits what is authorized, now or when it comes, unless a later total is known. */
export function limitTotal<S extends Totalled>(state: S, amountMinor: number, time?: string): S {
  const { totals, changes = [] } = state;
  const { set, limits } = totals ?? { limits: [] };
  const at = time ?? lastTimeOf(state);
  if (set && set.at > at) return state;
  const effective = (limit: AmountAt) => limit.amountMinor + sumAfter(changes, limit.at);
  // Without a time, it has all changes until now.
  const limit = { amountMinor: time === undefined ? amountMinor - sumAfter(changes, at) : amountMinor, at };
  const same = limits.find((one) => one.at === at);
  if (same && same.amountMinor <= limit.amountMinor) return state;
  const all = [...limits.filter((one) => one !== same), limit];
  const lowest = all.toSorted((one, other) => effective(one) - effective(other)).slice(0, maximumKept);
  return { ...state, totals: { ...(set && { set }), limits: lowest.toSorted(byTime) } };
}

/** What is left of an amount of which a part was cleared. */
export function withinLimits({ totals, changes = [], clearedMinor }: Totalled, leftMinor: number): number {
  return (totals?.limits ?? []).reduce(
    (left, { amountMinor, at }) => Math.min(left, amountMinor + sumAfter(changes, at) - clearedMinor),
    leftMinor,
  );
}

function sumAfter(changes: readonly AmountAt[], at: string): number {
  return changes.reduce((sum, change) => (change.at > at ? sum + change.amountMinor : sum), 0);
}

function lastTimeOf({ totals }: Totalled): string {
  return totals?.limits.at(-1)?.at ?? totals?.set?.at ?? "";
}

function byTime(one: AmountAt, other: AmountAt): number {
  if (one.at === other.at) return 0;
  return one.at < other.at ? -1 : 1;
}
