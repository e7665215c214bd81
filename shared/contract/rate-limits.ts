import * as z from "zod";

/** A Program's separate limits, across all its endpoints, functions and keys. */
export const requestKinds = ["reads", "writes", "fundsMoves"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** How much there may be of each: an environment's settings say how many requests a second a tier is. */
export const rateTiers = ["standard", "raised", "highest"] as const;
type RateTier = (typeof rateTiers)[number];

/** The tier of each kind of a Program's requests. */
export const RateLimits = z.object({
  reads: z.enum(rateTiers),
  writes: z.enum(rateTiers),
  fundsMoves: z.enum(rateTiers),
});
export type RateLimits = z.output<typeof RateLimits>;

/** The limits of a new Program. */
export const standardLimits: RateLimits = { reads: "standard", writes: "standard", fundsMoves: "standard" };

/**
 * The gateway's usage plans: one for each kind in each tier, one for what Tenant-level keys ask for, and one for the sandbox, where there is one: it
 * plays the card network, whose events are no requests of the Program.
 */
export type UsagePlan = `${RequestKind}-${RateTier}` | "account" | "sandbox";

export const usagePlans: readonly UsagePlan[] = [
  ...requestKinds.flatMap((kind) => rateTiers.map((tier) => `${kind}-${tier}` as const)),
  "account",
  "sandbox",
];

/** By its name a plan is found: its id cannot be given to functions that stand behind the API that the plan is of. */
export function usagePlanName(environmentName: string, plan: UsagePlan): string {
  return `card-issuing-${environmentName}-${plan}`;
}

/**
 * What the gateway counts requests by: the authorizer names it, callers never see it, and nothing is secret about it. API Gateway wants 20
 * letters and digits or more.
 */
export function usageKey(ownerId: string, kind: RequestKind | "account"): string {
  return ownerId.replace("_", "") + kind;
}
