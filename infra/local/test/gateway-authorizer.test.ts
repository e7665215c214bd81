import { X509Certificate } from "node:crypto";
import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { InvocationRejected } from "../interfaces.ts";
import { allow, givenGateway, policy } from "./given-gateway.ts";

const gateway = givenGateway();
const json = (text: string) => JSON.parse(text);

describe("the authorizer", () => {
  it("gets the event of a REQUEST authorizer, with the client's certificate", async () => {
    await gateway.call("/v2/cards/crd_1?a=1&a=2&b=%C3%A9+x", {
      headers: { "x-API-key": "k", Accept: ["a/b", "c/d"], "User-Agent": "test/1" },
    });
    const certificate = new X509Certificate(gateway.pki.client.certificatePem);
    const [event] = gateway.events.authorizer as unknown as APIGatewayRequestAuthorizerEvent[];
    const { apiId } = event?.requestContext ?? {};
    expect(event).toMatchObject({
      type: "REQUEST",
      methodArn: `arn:aws:execute-api:eu-west-1:111122223333:${apiId}/live/GET/cards/crd_1`,
      resource: "/cards/{cardId}",
      path: "/v2/cards/crd_1",
      httpMethod: "GET",
      headers: { "x-API-key": "k", Host: "localhost", "X-Forwarded-Proto": "https" },
      multiValueHeaders: { "x-API-key": ["k"] },
      queryStringParameters: { a: "2", b: "é x" },
      multiValueQueryStringParameters: { a: ["1", "2"], b: ["é x"] },
      pathParameters: { cardId: "crd_1" },
      stageVariables: {},
      requestContext: {
        resourcePath: "/cards/{cardId}",
        path: "/v2/cards/crd_1",
        httpMethod: "GET",
        stage: "live",
        protocol: "HTTP/1.1",
        accountId: "111122223333",
        domainName: "localhost",
        identity: {
          userAgent: "test/1",
          sourceIp: "127.0.0.1",
          clientCert: {
            subjectDN: "OU=prg_1,O=ten_1",
            issuerDN: "CN=Test CA",
            serialNumber: expect.stringMatching(/^([0-9a-f]{2}:)+[0-9a-f]{2}$/),
            validity: { notBefore: certificate.validFrom, notAfter: certificate.validTo },
          },
        },
      },
    });
    const { clientCertPem } = event?.requestContext.identity.clientCert ?? { clientCertPem: "" };
    expect(new X509Certificate(clientCertPem).fingerprint256).toBe(certificate.fingerprint256);
    expect(event?.requestContext).not.toHaveProperty("authorizer");
    expect(event).not.toHaveProperty("body");
  });

  it("gets empty maps where the client sent nothing", async () => {
    await gateway.call("/v2/cards");
    expect(gateway.events.authorizer[0]).toMatchObject({
      queryStringParameters: {},
      multiValueQueryStringParameters: {},
      pathParameters: {},
    });
  });

  const arn = "arn:aws:execute-api:eu-west-1:111122223333:*/live/GET/cards*";
  const statement = { Effect: "Allow", Action: "execute-api:Invoke", Resource: "*" };
  const withStatements = (...Statement: unknown[]) => ({
    principalId: "u",
    policyDocument: { Version: "2012-10-17", Statement },
  });
  it.each([
    ["every resource", policy("Allow", "*")],
    ["a matching pattern", policy("Allow", arn)],
    ["a single character", policy("Allow", "arn:aws:execute-api:eu-west-1:111122223333:*/live/GET/card?")],
    ["every action", withStatements({ ...statement, Action: "execute-api:*" })],
    ["one of several", withStatements({ ...statement, Resource: ["arn:other", "*"] })],
  ])("lets in by a policy that allows %s", async (_name, payload) => {
    gateway.authorizer = () => ({ payload });
    expect((await gateway.call("/v2/cards")).status).toBe(200);
  });

  it.each([
    ["denies", policy("Deny", "*", { code: "IP_NOT_AUTHORIZED" })],
    [
      "allows another path",
      policy("Allow", "arn:aws:execute-api:eu-west-1:111122223333:*/live/GET/wallets", {
        code: "IP_NOT_AUTHORIZED",
      }),
    ],
    [
      "allows another method",
      policy("Allow", "arn:aws:execute-api:eu-west-1:111122223333:*/live/POST/cards", {
        code: "IP_NOT_AUTHORIZED",
      }),
    ],
    ["takes a dot for any character", policy("Allow", "arn.aws.execute-api*", { code: "IP_NOT_AUTHORIZED" })],
    [
      "says both",
      {
        ...withStatements(statement, { ...statement, Effect: "Deny" }),
        context: { code: "IP_NOT_AUTHORIZED" },
      },
    ],
    [
      "allows another action",
      { ...withStatements({ ...statement, Action: "s3:*" }), context: { code: "IP_NOT_AUTHORIZED" } },
    ],
    ["says nothing", { ...withStatements(), context: { code: "IP_NOT_AUTHORIZED" } }],
  ])("denies by a policy that %s, with the authorizer's context in the answer", async (_name, payload) => {
    gateway.authorizer = () => ({ payload });
    const { status, headers, body } = await gateway.call("/v2/cards");
    expect([status, json(body)]).toEqual([
      403,
      { code: "IP_NOT_AUTHORIZED", requestId: headers["x-request-id"] },
    ]);
    expect([headers["x-fixed"], headers["x-amzn-errortype"]]).toEqual(["fixed", "AccessDeniedException"]);
    expect(gateway.events.work).toEqual([]);
  });

  it.each([
    ["Unauthorized", 401, "API_KEY_INVALID"],
    ["unauthorized", 500, "DEFAULT_5XX"],
    ["Unauthorized!", 500, "DEFAULT_5XX"],
  ])("answers an error of the message %s with %i", async (errorMessage, expected, code) => {
    gateway.authorizer = () => ({
      payload: { errorType: "Error", errorMessage },
      functionError: "Unhandled",
    });
    const { status, body } = await gateway.call("/v2/cards");
    expect([status, json(body).code]).toEqual([expected, code]);
  });

  it.each([
    ["null", null],
    ["no policy", { principalId: "u" }],
    ["no principal", { policyDocument: { Statement: [statement] } }],
    ["an object in the context", policy("Allow", "*", { deep: { a: 1 } })],
    ["a statement with a condition", withStatements({ ...statement, Condition: { Bool: {} } })],
    ["a statement for all but some", withStatements({ Effect: "Allow", NotAction: "s3:*", Resource: "*" })],
  ])("answers 500 where the authorizer says %s, and asks nobody else", async (_name, payload) => {
    gateway.authorizer = () => ({ payload });
    expect((await gateway.call("/v2/cards")).status).toBe(500);
    expect(gateway.events.work).toEqual([]);
  });

  it("answers 500 where the authorizer cannot be invoked", async () => {
    gateway.authorizer = () => Promise.reject(new InvocationRejected("TooManyRequestsException", "no"));
    expect((await gateway.call("/v2/cards")).status).toBe(500);
  });

  it("runs for every request, even on the same connection", async () => {
    const two =
      "GET /v2/cards HTTP/1.1\r\nHost: localhost\r\n\r\n" +
      "GET /v2/cards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    gateway.authorizer = (event) =>
      gateway.events.authorizer.length === 1 ? allow(event) : { payload: policy("Deny", "*", {}) };
    const answer = await gateway.raw(two);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
  });
});
