import type { Comparison } from "./comparison.ts";

/** A file for each, which exports `comparison`. Its name is the part's. */
export const comparisons = {
  iso8583: () => import("./compare-iso8583.ts"),
  listener: () => import("./compare-listener.ts"),
  memory: () => import("./compare-memory.ts"),
  requests: () => import("./compare-requests.ts"),
  start: () => import("./compare-start.ts"),
} satisfies Readonly<Record<string, () => Promise<{ readonly comparison: Comparison }>>>;

export type ComparisonName = keyof typeof comparisons;
export const comparisonNames = Object.keys(comparisons) as ComparisonName[];
