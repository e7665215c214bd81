import * as z from "zod";

/** Each kind has its own limit per Program, across all endpoints, functions and keys. */
export const requestKinds = ["reads", "writes", "fundsMoves"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** An environment's settings say how many requests per second a tier allows. */
export const rateTiers = ["standard", "raised", "highest"] as const;
type RateTier = (typeof rateTiers)[number];

/** The tier of each kind of a Program's requests. */
export const RateLimits = z.object({
  reads: z.enum(rateTiers),
  writes: z.enum(rateTiers),
  fundsMoves: z.enum(rateTiers),
});
export type RateLimits = z.output<typeof RateLimits>;

export const standardLimits: RateLimits = { reads: "standard", writes: "standard", fundsMoves: "standard" };

/**
 * The gateway's usage plans: one per kind and tier, one for Tenant-level keys, and one for the sandbox, which
 * plays the card network: its events are no requests of the Program.
 */
export type UsagePlan = `${RequestKind}-${RateTier}` | "account" | "sandbox";

export const usagePlans: readonly UsagePlan[] = [
  ...requestKinds.flatMap((kind) => rateTiers.map((tier) => `${kind}-${tier}` as const)),
  "account",
  "sandbox",
];

/** Plans are found by name: functions behind the API cannot be given the id of the API's own plan. */
export function usagePlanName(environmentName: string, plan: UsagePlan): string {
  return `card-issuing-${environmentName}-${plan}`;
}

/**
 * What the gateway counts requests by. Set by the authorizer, unknown to callers, not secret. API Gateway
 * requires at least 20 letters and digits.
 */
export function usageKey(ownerId: string, kind: RequestKind | "account"): string {
  return ownerId.replace("_", "") + kind;
}
