import {
  APIGatewayProxyEventSchema,
  APIGatewayRequestAuthorizerEventSchema,
  DynamoDBStreamSchema,
  EventBridgeSchema,
  SqsSchema,
} from "@aws-lambda-powertools/parser/schemas";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../shared/contract/routes.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { caseFile, readRecorded, recordedFiles, revive } from "../harness/cases/recorded-case.ts";
import { type DynamoCall, injectFaults, isIdempotencyPut } from "../harness/faults.ts";
import { givenProgram, handlerOf } from "../harness/given-cards.ts";
import { recorded, replay } from "../harness/replay.ts";

const cases = contractCases().map((one) => ({
  ...one,
  key: `${one.route.method} ${one.route.path}` as const,
  file: caseFile(one),
}));

/** Simulates a request in progress: each write of the key's row conflicts. */
let contended: Disposable;
beforeAll(() => {
  contended = injectFaults((call) => (isInFlight(call) ? "key-conflict" : undefined));
});
afterAll(() => contended[Symbol.dispose]());

function isInFlight({ input: { TransactItems } }: DynamoCall): boolean {
  const items = Array.isArray(TransactItems) ? TransactItems : [];
  return JSON.stringify(items.filter(isIdempotencyPut)).includes("request-in-flight");
}

describe("the recorded events", () => {
  it("match the contract's answers one to one", () => {
    const files = recordedFiles(new Set(routes.map((route) => route.function)));
    expect(files).toEqual(cases.map(({ file }) => file).toSorted());
  });

  it.each(cases)("$file is what API Gateway sends", ({ file, route }) => {
    const event = readRecorded(file);
    const parsed = APIGatewayProxyEventSchema.safeParse(event);
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
    ["authorizer", "authenticate", "program-key", APIGatewayRequestAuthorizerEventSchema],
    ["authorizer", "authenticate", "tenant-key", APIGatewayRequestAuthorizerEventSchema],
    ["outbox-relay", "publish", "stream", DynamoDBStreamSchema],
    ["list-indexer", "take-in", "stream", DynamoDBStreamSchema],
    ["processor-events", "consume", "queue", SqsSchema],
    ["alert-delivery", "deliver", "queue", SqsSchema],
    ["webhook-fanout", "fan-out", "queue", SqsSchema],
    ["webhook-fanout", "replay", "queue", SqsSchema],
    ["callback-delivery", "deliver", "queue", SqsSchema],
    ["callback-delivery", "deliver", "slow", SqsSchema],
    ["deadlines", "sweep", "schedule", EventBridgeSchema],
  ] as const)("%s/%s/%s is what AWS documents", async (service, operation, name, schema) => {
    const event = await recorded(service, operation, name);
    expect(schema.safeParse(event).error?.issues).toBeUndefined();
    expect(JSON.stringify(event)).not.toMatch(/cik_|PRIVATE KEY/);
  });
});

describe.concurrent("each answer of the contract", () => {
  it.for(cases)(
    "$status $code: $key",
    // A limit is reached by many requests, beside all the others.
    { timeout: 240_000 },
    async ({ file, key, code, status, prepare, manualIssuance }, context) => {
      const settings = { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } as const;
      const program = await givenProgram({ settings });
      const event = revive(readRecorded(file), program, await prepare(program));
      const retryMs = code === "IDEMPOTENCY_IN_PROGRESS" ? 3_000 : 60_000;
      const answer = await withinTime(retryMs, () => replay(handlerOf(key), event));
      context
        .expect([answer.status, answer.body.code ?? "OK"], JSON.stringify(answer.body))
        .toEqual([status, code]);
    },
  );
});
