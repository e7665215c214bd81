import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ZodType } from "zod";
import { installTool } from "../../infra/tools/install-tool.ts";
import { routes } from "../../shared/contract/routes.ts";
import { readRecorded, recordedFiles } from "../harness/cases/recorded-case.ts";
import { recorded } from "../harness/replay.ts";
import { recordedCases } from "./given-recorded.ts";

type SchemaName =
  | "APIGatewayProxyEventSchema"
  | "APIGatewayRequestAuthorizerEventSchema"
  | "DynamoDBStreamSchema"
  | "EventBridgeSchema"
  | "SqsSchema";
const requireTool = createRequire(path.join(installTool("lambda-events"), "package.json"));
const schemas: Record<SchemaName, ZodType> = requireTool("@aws-lambda-powertools/parser/schemas");
const cases = recordedCases();

describe("the recorded events", () => {
  it("match the contract's answers one to one", () => {
    const files = recordedFiles(new Set(routes.map((route) => route.function)));
    const how =
      "Each answer is recorded once: npm run record -- <function>/<operation>. Delete the files of none.";
    expect(files, how).toEqual(cases.map(({ file }) => file).toSorted());
  });

  it.each(cases)("$file is what API Gateway sends", ({ file, route }) => {
    const event = readRecorded(file);
    const parsed = schemas.APIGatewayProxyEventSchema.safeParse(event);
    expect(parsed.error?.issues).toBeUndefined();
    expect([event.httpMethod, event.resource]).toEqual([route.method, route.path]);
  });

  it.each(cases)("$file holds no secret", ({ file }) => {
    const { headers, multiValueHeaders, requestContext } = readRecorded(file);
    const keys = Object.entries({ ...headers, ...multiValueHeaders }).filter(([name]) =>
      /^x-api-key$/i.test(name),
    );
    expect(keys.map(([, value]) => [value].flat())).toEqual([["redacted"]]);
    expect(requestContext.identity.clientCert?.clientCertPem).toContain("redacted");
    const texts = JSON.stringify(readRecorded(file));
    expect(texts).not.toMatch(/"code\\?":\s*\\?"(?!000000)/);
    for (const [token] of texts.matchAll(/(?<=\/otp\/)[\w-]{43}/g)) expect(token).toMatch(/^redacted0+$/);
  });
});

describe("the recorded events of functions without routes", () => {
  it.each([
    ["authorizer", "authenticate", "program-key", "APIGatewayRequestAuthorizerEventSchema"],
    ["authorizer", "authenticate", "tenant-key", "APIGatewayRequestAuthorizerEventSchema"],
    ["outbox-relay", "publish", "stream", "DynamoDBStreamSchema"],
    ["list-indexer", "take-in", "stream", "DynamoDBStreamSchema"],
    ["processor-events", "consume", "queue", "SqsSchema"],
    ["alert-delivery", "deliver", "queue", "SqsSchema"],
    ["webhook-fanout", "fan-out", "queue", "SqsSchema"],
    ["webhook-fanout", "replay", "queue", "SqsSchema"],
    ["background-jobs", "take-step", "queue", "SqsSchema"],
    ["callback-delivery", "deliver", "queue", "SqsSchema"],
    ["callback-delivery", "deliver", "slow", "SqsSchema"],
    ["deadlines", "sweep", "schedule", "EventBridgeSchema"],
  ] as const)("%s/%s/%s is what AWS documents", async (service, operation, name, schema) => {
    const event = await recorded(service, operation, name);
    expect(schemas[schema].safeParse(event).error?.issues).toBeUndefined();
    expect(JSON.stringify(event)).not.toMatch(/cik_|PRIVATE KEY/);
  });
});
