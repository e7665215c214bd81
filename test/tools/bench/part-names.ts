const usual = [
  "authorizer",
  "endpoints",
  "events",
  "rates",
  "handlers",
  "proofs",
  "hot-wallet",
  "imports",
  "sending",
] as const;
/** Only if named. */
const slow = ["controls", "dead-endpoint", "start", "lists", "long-lists"] as const;

export type PartName = (typeof usual)[number] | (typeof slow)[number];
export const usualParts: readonly PartName[] = usual;
export const slowParts: readonly PartName[] = slow;
export const partNames: readonly PartName[] = [...usual, ...slow];
