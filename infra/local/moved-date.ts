import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * The clock that threads share: the offset to real time, or, if it is not 0, the time at which the
 * clock is held.
 */
export function readSharedTime(shared: BigInt64Array, realMs: number): number {
  const heldAt = shared.length > 1 ? Number(Atomics.load(shared, 1)) : 0;
  return heldAt || realMs + Number(Atomics.load(shared, 0));
}

/** Moves this thread's `Date` to the shared clock, so that its code needs no other clock. */
export function moveDate(sharedClock: SharedArrayBuffer): void {
  const shared = new BigInt64Array(sharedClock);
  const RealDate = Date;
  const now = () => readSharedTime(shared, RealDate.now());
  const MovedDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, property, receiver) => (property === "now" ? now : Reflect.get(target, property, receiver)),
  });
  RealDate.prototype.constructor = MovedDate;
  globalThis.Date = MovedDate;
}

/**
 * Hides when services answered, which is real time: the SDK would take a clock that is set
 * otherwise for wrong, and repeat each call that fails in another second than the one before it.
 */
export function hideServiceDates(): void {
  subscribe("http.client.response.finish", (answered) => {
    const { response } = answered as { response: IncomingMessage };
    delete response.headers.date;
  });
}
