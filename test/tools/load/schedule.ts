import type { Random } from "../../harness/random.ts";
import { type RequestKind, requestKinds, shares } from "./kinds.ts";

export interface Arrival {
  /** Since the schedule's start. */
  readonly atMs: number;
  readonly kind: RequestKind;
}

/** Arrivals of independent callers: exponential gaps around the rate. No answer changes them. */
export function scheduleArrivals(ratePerSecond: number, seconds: number, random: Random): Arrival[] {
  const arrivals: Arrival[] = [];
  const meanGapMs = 1_000 / ratePerSecond;
  let atMs = 0;
  for (;;) {
    atMs += -Math.log(1 - random.fraction()) * meanGapMs;
    if (atMs >= seconds * 1_000) return arrivals;
    arrivals.push({ atMs, kind: pickKind(random.fraction()) });
  }
}

function pickKind(fraction: number): RequestKind {
  let sum = 0;
  for (const kind of requestKinds) {
    sum += shares[kind];
    if (fraction < sum) return kind;
  }
  return "read";
}
