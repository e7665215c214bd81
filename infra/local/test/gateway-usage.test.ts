import { describe, expect, it } from "vitest";
import { gatewayDocument, gatewayTemplate } from "./gateway-template.ts";
import { allow, givenGateway } from "./given-gateway.ts";

const gateway = givenGateway();
const usageKey = "prg01reads0000000000000";

/** The template with one usage plan for all methods. The authorizer names the key. */
async function metered(
  source: object = { "x-amazon-apigateway-api-key-source": "AUTHORIZER" },
): Promise<void> {
  const document = { ...gatewayDocument(), ...source };
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
    Object.assign(operation, { security: [{ authorizer: [] }, { api_key: [] }] });
  const template = gatewayTemplate(document);
  const { Resources } = template;
  Resources.Plan = {
    Type: "AWS::ApiGateway::UsagePlan",
    Properties: {
      UsagePlanName: "plan",
      ApiStages: [{ ApiId: { Ref: "Api" }, Stage: { Ref: "Stage" } }],
      Throttle: { RateLimit: 0.001, BurstLimit: 3 },
    },
  };
  await gateway.stop();
  await gateway.start(template);
  gateway.authorizer = (event) => {
    const { payload } = allow(event) as { payload: object };
    return { payload: { ...payload, usageIdentifierKey: usageKey } };
  };
}

function addKey(): void {
  const [plan] = gateway.usage.plans;
  const key = gateway.usage.createKey(usageKey, usageKey);
  if (plan && key) gateway.usage.addKey(plan, key);
}

describe("usage plans", () => {
  it("admit what the plan allows, over all methods; the rest is THROTTLED before any function runs", async () => {
    await metered();
    addKey();
    for (const path of ["/v2/cards", "/v2/cards/1", "/v2/unknown"]) {
      expect((await gateway.call(path)).status).not.toBe(429);
    }
    const { status, headers, body } = await gateway.call("/v2/cards", { method: "POST", body: "{}" });
    expect([status, JSON.parse(body).code, headers["x-amzn-errortype"]]).toEqual([
      429,
      "DEFAULT_4XX",
      "TooManyRequestsException",
    ]);
    expect(gateway.events.work).toHaveLength(2);
    expect(gateway.events.authorizer).toHaveLength(4);
  });

  it("do not count requests that the authorizer rejects", async () => {
    await metered();
    addKey();
    const letIn = gateway.authorizer;
    gateway.authorizer = () => ({ payload: { errorMessage: "Unauthorized" }, functionError: "Unhandled" });
    for (let count = 0; count < 5; count += 1) expect((await gateway.call("/v2/cards")).status).toBe(401);
    gateway.authorizer = letIn;
    expect((await gateway.call("/v2/cards")).status).toBe(200);
  });

  it("answer INVALID_API_KEY for a key that the authorizer did not name", async () => {
    await metered();
    const refused = async () => {
      const { status, headers } = await gateway.call("/v2/cards", { headers: { "X-API-Key": usageKey } });
      return [status, headers["x-amzn-errortype"]];
    };
    expect(await refused()).toEqual([403, "ForbiddenException"]);
    addKey();
    gateway.authorizer = allow;
    expect(await refused()).toEqual([403, "ForbiddenException"]);
    expect(gateway.events.work).toEqual([]);
  });

  it("that read the key from a header are rejected at start", async () => {
    await expect(metered({ "x-amazon-apigateway-api-key-source": "HEADER" })).rejects.toThrow(/AUTHORIZER/);
  });
});
