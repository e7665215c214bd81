import * as z from "zod";

/** Each kind has its own limit per Program, for all of its keys together. */
export const requestKinds = ["reads", "writes", "fundsMoves"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** The environment's settings define the requests per second of each tier. */
export const rateTiers = ["standard", "raised", "highest"] as const;
export const RateLimits = z.object({
  reads: z.enum(rateTiers),
  writes: z.enum(rateTiers),
  fundsMoves: z.enum(rateTiers),
});
export type RateLimits = z.output<typeof RateLimits>;

export const standardLimits: RateLimits = { reads: "standard", writes: "standard", fundsMoves: "standard" };

/** The gateway's usage plans. Network events in the sandbox have their own. */
export type UsagePlan = `${RequestKind}-${(typeof rateTiers)[number]}` | "account" | "sandbox";

export const usagePlans: readonly UsagePlan[] = [
  ...requestKinds.flatMap((kind) => rateTiers.map((tier) => `${kind}-${tier}` as const)),
  "account",
  "sandbox",
];

/**
 * Functions find plans by name: they cannot be given the id of a plan of the API in front of them.
 */
export function usagePlanName(environmentName: string, plan: UsagePlan): string {
  return `card-issuing-${environmentName}-${plan}`;
}

/**
 * The gateway counts requests by this key. The authorizer sets it; callers do not know it, but it
 * is not secret. API Gateway requires at least 20 letters and digits.
 */
export function usageKey(ownerId: string, kind: RequestKind | "account"): string {
  return ownerId.replace("_", "") + kind;
}
