import { percentile } from "../bench/report.ts";
import { type Kind, kinds, type Limits, type Sample } from "./kinds.ts";

/** One kind's latencies in milliseconds. Without a single answer, they are NaN. */
export interface Figures {
  readonly kind: Kind;
  readonly count: number;
  readonly failed: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly most: number;
  readonly limit: number;
  /** Whether at most 1 % failed or took longer than the limit. */
  readonly isKept: boolean;
}

/** The part of the requests that may fail or be late: p99. */
const tolerated = 0.01;

/** A failed request counts as later than any limit. */
export function judge(samples: readonly Sample[], limits: Limits): Figures[] {
  return kinds.map((kind) => {
    const own = samples.filter((sample) => sample.kind === kind);
    const answered = own.filter(({ error }) => error === undefined).map(({ latencyMs }) => latencyMs);
    const limit = limits[kind];
    const late = answered.filter((latencyMs) => latencyMs > limit).length;
    const failed = own.length - answered.length;
    return {
      kind,
      count: own.length,
      failed,
      p50: percentile(answered, 50),
      p90: percentile(answered, 90),
      p99: percentile(answered, 99),
      p999: percentile(answered, 99.9),
      most: percentile(answered, 100),
      limit,
      isKept: late + failed <= own.length * tolerated,
    };
  });
}

/** Failed requests by kind and cause. */
export function countErrors(samples: readonly Sample[]): { cause: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { kind, error } of samples) {
    if (error === undefined) continue;
    const cause = `${kind}: ${error}`;
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return [...counts].map(([cause, count]) => ({ cause, count })).toSorted((a, b) => b.count - a.count);
}
