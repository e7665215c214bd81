import { comparisonNames } from "./comparisons.ts";

/** Of this build alone, with tables of their own. */
const usual = [
  "authorizer",
  "endpoints",
  "events",
  "handlers",
  "proofs",
  "hot-wallet",
  "imports",
  "sending",
] as const;
/** With --quick: counts, which need no repetition. */
const quick = ["authorizer", "endpoints", "events"] as const;
/** Only if named. */
const slow = ["controls", "funded", "dead-endpoint", "lists", "long-lists", "merges", "searches"] as const;

export type PartName = (typeof usual)[number] | (typeof slow)[number];
export const usualParts: readonly PartName[] = usual;
export const quickParts: readonly PartName[] = quick;
export const slowParts: readonly PartName[] = slow;
export const tableParts: readonly PartName[] = [...usual, ...slow];
export const partNames: readonly string[] = [...comparisonNames, ...tableParts];
