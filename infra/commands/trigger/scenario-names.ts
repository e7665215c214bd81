export const scenarioNames = [
  "purchase",
  "decline",
  "refund",
  "atm",
  "dispute",
  "three-ds",
  "expiry",
  "duplicates",
  "token",
  "payout",
  "pull",
] as const;
export type ScenarioName = (typeof scenarioNames)[number];
