import type { AmountAt, Hold, HoldState, Reservation } from "./hold.ts";
import { applyChange, byTime, maximumKept, sumAfter, type Totalled } from "./hold-rules.ts";

/** `at`: when a reversal occurred. Totals have what is cleared, whenever it is. */
export function decreaseHold<S extends HoldState>(state: S, amountMinor: number, at?: string): S {
  if (at !== undefined) return applyChange(state, -amountMinor, at);
  return { ...state, releasedMinor: state.releasedMinor + amountMinor };
}

/** Whether the platform declined it, and nothing else has finished it. */
export function isDeclined({ closedBy }: Pick<Hold, "closedBy">): boolean {
  return closedBy === "declined";
}

/** Sets an amount aside until its question is decided. */
export function reserve(hold: Hold, reservation: Reservation): Hold {
  return { ...hold, reservations: [...(hold.reservations ?? []), reservation] };
}

/** Whether nothing but its authorization has come, whose question is open. */
export function isOnlyReserved({ version, reservations }: Hold): boolean {
  return version === 1 && reservations !== undefined;
}

/** Takes the event's reservation away: what is approved of it is authorized next. */
export function withoutReservation(hold: Hold, eventId: string): Hold {
  const left = (hold.reservations ?? []).filter((one) => one.eventId !== eventId);
  return { ...hold, reservations: left.length > 0 ? left : undefined };
}

/**
 * Sets what is authorized, cleared or not, unless a later total is known. Of two at the same time,
 * the higher counts, before reversals at that time. Without a time, it is the last until now.
 */
export function setTotal<S extends Totalled>(state: S, amountMinor: number, time?: string): S {
  const { releasedMinor, clearedMinor, changes = [] } = state;
  const { set, limits } = state.totals ?? { limits: [] };
  const at = time ?? findLastTime(state);
  const isTie = time !== undefined && set?.at === at;
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
  const at = time ?? findLastTime(state);
  if (set && set.at > at) return state;
  const effective = (limit: AmountAt) => limit.amountMinor + sumAfter(changes, limit.at);
  // Without a time, it has all changes until now.
  const limitMinor = time === undefined ? amountMinor - sumAfter(changes, at) : amountMinor;
  const same = limits.filter((one) => one.at === at);
  const limit = { amountMinor: Math.min(limitMinor, ...same.map((one) => one.amountMinor)), at };
  const all = [...limits.filter((one) => one.at !== at), limit];
  const lowest = all.toSorted((one, other) => effective(one) - effective(other)).slice(0, maximumKept);
  return { ...state, totals: { ...(set && { set }), limits: lowest.toSorted(byTime) } };
}

function findLastTime({ totals }: Totalled): string {
  return totals?.limits.at(-1)?.at ?? totals?.set?.at ?? "";
}

/** Ten controls in a hundred periods have as many. A hold is one item of at most 400 KB. */
const mostParts = 1_000;
/** Each may be reversed by itself, which the hold has to know. */
const mostIncrements = 1_000;

/** Whether another increment is declined, so that room is left for what cannot be. */
export function takesNoIncrement({ increments = 0, counted = [] }: Hold): boolean {
  return increments >= mostIncrements || counted.length >= mostParts;
}
