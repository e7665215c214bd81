import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { readPresentedCredentials } from "../../../functions/authorizer/authorize.ts";

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
