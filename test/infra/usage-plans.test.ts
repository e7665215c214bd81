import { describe, expect, test } from "vitest";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { usagePlans } from "../../shared/contract/rate-limits.ts";
import { routes } from "../../shared/contract/routes.ts";
import { resolved, resource, resourcesOf, synthesized } from "./synthesized.ts";

describe.each(environmentNames)("rate limits of %s", (name) => {
  const templates = synthesized(name);
  const plans = resourcesOf(templates, "AWS::ApiGateway::UsagePlan").map(([, { Properties }]) => Properties);
  /** Senders of webhooks have no keys. */
  const apis = resourcesOf(templates, "AWS::ApiGateway::RestApi").filter(
    ([id]) => !id.startsWith("WebhookApi"),
  );

  test("each kind and tier, the accounts and the sandbox have a plan with the settings' limits", () => {
    const { standard, raised, highest, account, sandbox } = readSettings(name).rateLimits;
    const expected = Object.entries({ standard, raised, highest }).flatMap(([tier, limits]) =>
      Object.entries(limits).map(([kind, perSecond]) => [`${kind}-${tier}`, perSecond]),
    );
    const others = [["account", account], ...(sandbox === undefined ? [] : [["sandbox", sandbox]])];
    expect(plans.map((plan) => [plan.UsagePlanName, plan.Throttle]).toSorted()).toEqual(
      [...expected, ...others]
        .map(([plan, perSecond]) => [
          `card-issuing-${name}-${plan}`,
          { RateLimit: perSecond, BurstLimit: perSecond },
        ])
        .toSorted(),
    );
    expect(plans).toHaveLength(name === "production" ? usagePlans.length - 1 : usagePlans.length);
    expect(standard).toEqual({ reads: 50, writes: 10, fundsMoves: 5 });
  });

  test("a Program's plans apply to the platform's API, the sandbox's to the sandbox, the accounts' to both", () => {
    for (const { UsagePlanName, ApiStages } of plans) {
      const stages = resolved(templates, ApiStages) as { ApiId: { Ref: string } }[];
      const counted = stages.map(({ ApiId }) => ApiId.Ref);
      const wanted = apis
        .map(([id]) => id)
        .filter((id) => {
          if (UsagePlanName.endsWith("-account")) return true;
          return UsagePlanName.endsWith("-sandbox") === id.startsWith("Sandbox");
        });
      expect(counted.toSorted(), UsagePlanName).toEqual(wanted.toSorted());
    }
  });

  test("the authorizer knows the endpoints that move money", () => {
    const [, authorizer] = resource(templates, "AWS::Lambda::Function", "Authorizer");
    const declared = routes
      .filter((route) => route.movesFunds)
      .map(({ method, path }) => `${method} ${path}`);
    expect(declared).toContain("POST /wallets/transfer");
    expect(authorizer.Properties.Environment.Variables.FUNDS_MOVES.split(",")).toEqual(declared);
  });
});
