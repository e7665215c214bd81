import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import type { CallerContext } from "../../../functions/authorizer/authenticate.ts";
import { getUsageKey, readPresentedCredentials } from "../../../functions/authorizer/authorize.ts";
import { type RequestKind, usageKey } from "../../../shared/contract/rate-limits.ts";
import { routes } from "../../../shared/contract/routes.ts";

const programId = "prg_01M7WB63Y8Q5QBZENH6SMZ4NFX";
const tenantId = "tnt_01M7WB63XSBP598NX1KQDG5CX0";
const ofProgram: CallerContext = {
  level: "program",
  tenantId,
  programId,
  currency: "0",
  apiUserId: "usr_01M7WB63XSBP598NX1KQDG5CX0",
};
const ofTenant: CallerContext = { level: "tenant", tenantId, apiUserId: ofProgram.apiUserId };

describe("the usage key", () => {
  it.each(routes.map((route) => ({ ...route, name: `${route.method} ${route.path}` })))(
    "$name is counted as what the contract says",
    ({ method, path, movesFunds }) => {
      const kind: RequestKind = method === "GET" ? "reads" : movesFunds ? "fundsMoves" : "writes";
      const request = { httpMethod: method, resource: path };
      expect(getUsageKey(request, ofProgram)).toBe(usageKey(programId, kind));
      expect(getUsageKey(request, ofTenant)).toBe(usageKey(tenantId, "account"));
    },
  );

  it("of an unknown route is counted too", () => {
    const kindOf = (httpMethod: string) => getUsageKey({ httpMethod, resource: "/{proxy+}" }, ofProgram);
    expect(kindOf("HEAD")).toBe(usageKey(programId, "reads"));
    for (const method of ["PATCH", "OPTIONS", "POST"])
      expect(kindOf(method)).toBe(usageKey(programId, "writes"));
  });

  it("has the form that API Gateway wants", () => {
    for (const kind of ["reads", "writes", "fundsMoves", "account"] as const) {
      expect(usageKey(programId, kind)).toMatch(/^[A-Za-z0-9]{20,128}$/);
    }
  });
});

/** What counts of an event, with the rest of it left out. */
const eventWith = (changes: object, identity: object = {}) =>
  ({
    headers: null,
    multiValueHeaders: null,
    requestContext: { identity: { sourceIp: "192.0.2.1", clientCert: null, ...identity } },
    ...changes,
  }) as unknown as APIGatewayRequestAuthorizerEvent;

describe("the credentials of a request", () => {
  it("are the connection's certificate and address, and every X-API-Key", () => {
    const multiValueHeaders = { "X-Api-Key": ["a", "b"], "x-api-key": ["c"], "X-API-Key2": ["d"] };
    const event = eventWith({ multiValueHeaders }, { clientCert: { clientCertPem: "pem" } });
    expect(readPresentedCredentials(event)).toEqual({
      certificatePem: "pem",
      ip: "192.0.2.1",
      apiKeys: ["a", "b", "c"],
    });
  });

  it.each([
    ["several values", { multiValueHeaders: { "X-API-Key": ["a"] }, headers: { "X-API-Key": "b" } }, ["a"]],
    ["one value each", { headers: { "x-API-key": "b" } }, ["b"]],
    ["several values, none of them the key", { multiValueHeaders: {}, headers: { "X-API-Key": "b" } }, ["b"]],
    ["a name without a value", { multiValueHeaders: { "X-API-Key": undefined } }, []],
    ["none at all", {}, []],
  ])("take the key from headers with %s", (_, headers, apiKeys) => {
    expect(readPresentedCredentials(eventWith(headers)).apiKeys).toEqual(apiKeys);
  });

  it("have no certificate if the gateway sends none", () => {
    expect(readPresentedCredentials(eventWith({})).certificatePem).toBeUndefined();
    expect(readPresentedCredentials(eventWith({}, { clientCert: undefined })).certificatePem).toBeUndefined();
  });
});
