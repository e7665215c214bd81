import { AsyncLocalStorage } from "node:async_hooks";
import { monotonicMs } from "./clock.ts";

/** How long work outside of an invocation is retried: tools and tests. */
const defaultBudgetMs = 8_000;
/** What is left of an invocation for the attempt under way and for the answer. */
const reserveMs = 2_000;

/** How long a step of longer work begins more: then, what is under way has to end. */
export const stepWorkMs = 8_000;

/** When the retries of the work under way end, in monotonic milliseconds. */
const budget = new AsyncLocalStorage<number>();

/** Ends retries before Lambda ends the invocation. */
export function withinInvocation<T>(
  context: { readonly getRemainingTimeInMillis: () => number } | undefined,
  work: () => T,
): T {
  return context ? withinTime(context.getRemainingTimeInMillis() - reserveMs, work) : work();
}

/** Limits the time for retries, within any outer limit. */
export function withinTime<T>(timeMs: number, work: () => T): T {
  const endsAtMs = Math.min(budget.getStore() ?? Number.POSITIVE_INFINITY, monotonicMs() + timeMs);
  return budget.run(endsAtMs, work);
}

/** Answers after a commit: uses half of the reserve if the time is up. */
export function withinReserve<T>(work: () => T): T {
  const endsAtMs = budget.getStore();
  if (endsAtMs === undefined) return work();
  return budget.run(Math.max(endsAtMs, monotonicMs() + reserveMs / 2), work);
}

/** Gives the next of `count` sequential pieces its share of the remaining time. */
export function withinShare<T>(count: number, work: () => T): T {
  const endsAtMs = budget.getStore();
  return endsAtMs === undefined ? work() : withinTime((endsAtMs - monotonicMs()) / count, work);
}

/** Runs work with the time at which its retries end, in monotonic milliseconds. */
export function withinBudget<T>(work: (endsAtMs: number) => T): T {
  const endsAtMs = budget.getStore() ?? monotonicMs() + defaultBudgetMs;
  return budget.run(endsAtMs, () => work(endsAtMs));
}

/** How much time the work under way has left. Infinite outside of an invocation. */
export function leftMs(): number {
  return (budget.getStore() ?? Number.POSITIVE_INFINITY) - monotonicMs();
}

/** Whether the work under way should start nothing more. Never true outside of an invocation. */
export function isTimeUp(): boolean {
  const endsAtMs = budget.getStore();
  return endsAtMs !== undefined && monotonicMs() >= endsAtMs;
}

/** The time was up before the end: what is done is known when it is begun again. */
export class TimeUpError extends Error {
  override readonly name = "TimeUpError";
}
