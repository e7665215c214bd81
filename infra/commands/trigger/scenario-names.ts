import { z } from "zod";

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

export const TriggerConnection = z.object({
  baseUrl: z.url(),
  cert: z.string(),
  key: z.string(),
  ca: z.string(),
  programApiKey: z.string(),
});
export type TriggerConnection = z.output<typeof TriggerConnection>;
