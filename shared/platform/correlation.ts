import { AsyncLocalStorage } from "node:async_hooks";
import type { Cause } from "../contract/outbox.ts";

/** Ids that all lines of one piece of work have in common: where it comes from, and what it is about. Never anything that a caller sent. */
export interface Correlation extends Cause {
  /** The event that is on its way, by its id on the bus. */
  readonly eventId?: string;
  /** The endpoint that was called, as `METHOD /path/{template}`. */
  readonly route?: string;
  /** The command of platform administration that was given. */
  readonly command?: string;
}

/** Of the work under way: one run of a function may have several messages in hand at the same time. */
const underWay = new AsyncLocalStorage<{ ids: Correlation }>();

/** Does a piece of work whose lines carry these ids, beside those of the work that it is a part of. */
export function correlated<T>(ids: Correlation, work: () => T): T {
  return underWay.run({ ids: { ...correlation(), ...defined(ids) } }, work);
}

/** Adds what has come to be known of the work under way. Outside of any it is for nobody. */
export function correlate(ids: Correlation): void {
  const work = underWay.getStore();
  if (work) work.ids = { ...work.ids, ...defined(ids) };
}

/** The ids of the work under way. */
export function correlation(): Correlation {
  return underWay.getStore()?.ids ?? {};
}

/** What the work under way goes back to, for events that it writes; undefined where nothing is known of that. */
export function cause(): Cause | undefined {
  const { requestId, processorEventId, deadlineId } = correlation();
  const ids = defined({ requestId, processorEventId, deadlineId });
  return Object.keys(ids).length > 0 ? ids : undefined;
}

function defined<T extends object>(ids: T): T {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined)) as T;
}
