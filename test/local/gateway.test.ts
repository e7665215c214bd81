import { X509Certificate } from "node:crypto";
import { networkInterfaces } from "node:os";
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InvocationRefused } from "../../infra/local/interfaces.ts";
import { issueAuthority, issueLeaf } from "../../infra/local/issue-certificate.ts";
import { removeTemporaryDirectories } from "./assembly-fixture.ts";
import {
  allow,
  clientOf,
  GatewayUnderTest,
  gatewayTemplate,
  makePki,
  type Pki,
  policy,
  valid,
} from "./gateway-fixture.ts";

const dayMs = 86_400_000;
let pki: Pki;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  pki = await makePki();
});
beforeEach(async () => {
  gateway = new GatewayUnderTest(pki);
  await gateway.start();
});
afterEach(() => gateway.stop());
afterAll(removeTemporaryDirectories);

const json = (text: string) => JSON.parse(text);

describe("the handshake", () => {
  it("lets a certificate of the truststore in", async () => {
    const { secure, answer } = await gateway.handshake(gateway.tlsOptions());
    expect(secure).toBe(true);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  const past = { notBefore: new Date(Date.now() - 10 * dayMs), notAfter: new Date(Date.now() - dayMs) };
  const future = { notBefore: new Date(Date.now() + dayMs), notAfter: new Date(Date.now() + 2 * dayMs) };
  it.each([
    ["no certificate", async () => undefined],
    ["a self-signed one", () => issueAuthority("Somebody", valid)],
    ["one of another CA", async () => clientOf(await issueAuthority("Test CA", valid))],
    ["an expired one", () => clientOf(pki.authority, past)],
    ["one that is not valid yet", () => clientOf(pki.authority, future)],
    [
      "an expired one of another CA of the same name",
      async () => clientOf(await issueAuthority("Test CA", valid), past),
    ],
    [
      "one for servers",
      () =>
        issueLeaf({
          authority: pki.authority,
          subject: [{ O: ["ten_1"] }],
          alternativeNames: [],
          usage: "serverAuth",
          ...valid,
        }),
    ],
  ])("fails with %s, and nothing is answered", async (_name, make) => {
    const client = await make();
    const { cert: _cert, key: _key, ...bare } = gateway.tlsOptions();
    const options = client === undefined ? bare : gateway.tlsOptions(client);
    expect(await gateway.handshake(options)).toEqual({ secure: false, answer: "" });
    expect(gateway.events.authorizer).toEqual([]);
    expect(gateway.traced).toMatchObject([{ name: "TLS handshake", detail: { outcome: "refused" } }]);
  });

  it("goes by the run's clock: what has expired by it is out, what was issued by it is in", async () => {
    const later = {
      notBefore: new Date(Date.now() + 20 * dayMs),
      notAfter: new Date(Date.now() + 29 * dayMs),
    };
    const issuedLater = await clientOf(pki.authority, later);
    const ofAnother = await clientOf(await issueAuthority("Test CA", valid), later);
    const forServers = await issueLeaf({
      authority: pki.authority,
      subject: [{ O: ["t"] }],
      alternativeNames: [],
      usage: "serverAuth",
      ...later,
    });
    gateway.offsetMs = 25 * dayMs;
    expect(await gateway.handshake(gateway.tlsOptions(issuedLater))).toMatchObject({ secure: true });
    expect(await gateway.handshake(gateway.tlsOptions(ofAnother))).toMatchObject({
      secure: false,
      answer: "",
    });
    expect(await gateway.handshake(gateway.tlsOptions(forServers))).toMatchObject({
      secure: false,
      answer: "",
    });
    gateway.offsetMs = 31 * dayMs;
    expect(await gateway.handshake(gateway.tlsOptions())).toMatchObject({ secure: false, answer: "" });
  });

  it("refuses TLS 1.1, which a client of today no longer offers by itself", async () => {
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await gateway.handshake({ ...gateway.tlsOptions(), ...old })).toEqual({
      secure: false,
      answer: "",
    });
  });

  it("survives what is no TLS at all", async () => {
    expect(await gateway.plain("GET / HTTP/1.1\r\n\r\n")).not.toContain("200");
    expect((await gateway.call("/v2/cards")).status).toBe(200);
  });
});

describe("the addresses", () => {
  it.each(["127.0.0.1", "127.0.0.2", "127.0.0.3"])("sees a client at %s as such", async (localAddress) => {
    await gateway.call("/v2/cards", { localAddress });
    expect(gateway.events.authorizer[0]).toMatchObject({
      requestContext: { identity: { sourceIp: localAddress } },
      headers: { "X-Forwarded-For": localAddress },
    });
  });

  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.address === "::1");
  it.runIf(hasIpv6)("listens on ::1 at the same port and sees it as such", async () => {
    await gateway.call("/v2/cards", { host: "::1" });
    expect(gateway.events.authorizer[0]).toMatchObject({ requestContext: { identity: { sourceIp: "::1" } } });
  });

  it("does not believe a client's X-Forwarded-For", async () => {
    await gateway.call("/v2/cards", { headers: { "X-Forwarded-For": "203.0.113.9" } });
    expect(gateway.events.authorizer[0]).toMatchObject({
      requestContext: { identity: { sourceIp: "127.0.0.1" } },
      headers: { "X-Forwarded-For": "203.0.113.9, 127.0.0.1" },
    });
  });

  it("takes a call by address for localhost, and forbids another host or base path", async () => {
    expect((await gateway.call("/v2/cards", { headers: { Host: `127.0.0.1:${gateway.port}` } })).status).toBe(
      200,
    );
    expect((await gateway.call("/v2/cards", { headers: { Host: "[::1]:1" } })).status).toBe(200);
    expect(await gateway.call("/v2/cards", { headers: { Host: "other.test" } })).toMatchObject({
      status: 403,
      body: '{"message":"Forbidden"}',
    });
    expect((await gateway.call("/v3/cards")).status).toBe(403);
    expect((await gateway.call("/v22/cards")).status).toBe(403);
    expect(gateway.events.authorizer).toHaveLength(2);
  });
});

describe("the routes", () => {
  it.each([
    ["GET", "/v2/cards", "/cards", null],
    ["GET", "/v2/cards/", "/cards", null],
    ["GET", "/v2/cards/crd_1", "/cards/{cardId}", { cardId: "crd_1" }],
    ["GET", "/v2/cards/crd_1/status", "/cards/{cardId}/status", { cardId: "crd_1" }],
    ["GET", "/v2/cards/transactions", "/cards/transactions", null],
    ["GET", "/v2/cards/transactions/status", "/cards/{cardId}/status", { cardId: "transactions" }],
    ["GET", "/v2/cards/a%20b%2Fc%C3%A9", "/cards/{cardId}", { cardId: "a b/cé" }],
  ])("%s %s reaches %s", async (method, path, resource, pathParameters) => {
    await gateway.call(path, { method });
    expect(gateway.events.work).toMatchObject([{ resource, path, httpMethod: method, pathParameters }]);
  });

  it.each([
    ["GET", "/v2"],
    ["GET", "/v2/"],
    ["GET", "/v2/nothing"],
    ["GET", "/v2/cards/crd_1/nothing"],
    ["DELETE", "/v2/cards"],
    ["OPTIONS", "/v2/cards/crd_1"],
    ["GET", "/v2//cards"],
    ["GET", "/v2/cards//status"],
  ])("%s %s ends in the fallback, after authentication", async (method, path) => {
    const { status, headers, body } = await gateway.call(path, { method });
    expect(status).toBe(404);
    expect(json(body)).toEqual({ code: "FALLBACK", for: "ten_1" });
    expect(headers["x-request-id"]).toBe(headers["x-amzn-requestid"]);
    expect(gateway.events.authorizer).toHaveLength(1);
  });

  it("answers a fallback without a template for the content type by its gateway response", async () => {
    const { status, body } = await gateway.call("/v2/nothing", {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: "x",
    });
    expect([status, json(body).code]).toEqual([404, "NOT_FOUND"]);
    const asJson = await gateway.call("/v2/nothing", {
      method: "POST",
      headers: { "Content-Type": "Application/JSON; charset=utf-8" },
      body: "{}",
    });
    expect(json(asJson.body).code).toBe("FALLBACK");
  });

  it("answers a route that does not exist by itself where the template has no fallback", async () => {
    await gateway.stop();
    const template = gatewayTemplate();
    delete template.Resources.AnyProxy;
    delete template.Resources.Proxy;
    await gateway.start(template);
    const { status, headers, body } = await gateway.call("/v2/nothing");
    expect([status, json(body).code, headers["x-amzn-errortype"]]).toEqual([
      403,
      "DEFAULT_4XX",
      "MissingAuthenticationTokenException",
    ]);
    expect(gateway.events.authorizer).toEqual([]);
  });
});

describe("the authorizer", () => {
  it("gets the event of a REQUEST authorizer, with the client's certificate", async () => {
    await gateway.call("/v2/cards/crd_1?a=1&a=2&b=%C3%A9+x", {
      headers: { "x-API-key": "k", Accept: ["a/b", "c/d"], "User-Agent": "test/1" },
    });
    const certificate = new X509Certificate(pki.client.certificatePem);
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
      stageVariables: { colour: "red" },
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
    gateway.authorizer = () => Promise.reject(new InvocationRefused("TooManyRequestsException", "no"));
    expect((await gateway.call("/v2/cards")).status).toBe(500);
  });

  it("is asked about every request, on one connection too", async () => {
    const two =
      "GET /v2/cards HTTP/1.1\r\nHost: localhost\r\n\r\n" +
      "GET /v2/cards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    gateway.authorizer = (event) =>
      gateway.events.authorizer.length === 1 ? allow(event) : { payload: policy("Deny", "*", {}) };
    const answer = await gateway.raw(two);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
  });
});

describe("the Lambda proxy integration", () => {
  it("gets the event of a REST API", async () => {
    await gateway.call("/v2/cards?x", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Many": ["1", "2"], Connection: "close" },
      body: '{"ö":1}',
    });
    const [event] = gateway.events.work as unknown as APIGatewayProxyEvent[];
    expect(event).toMatchObject({
      resource: "/cards",
      path: "/v2/cards",
      httpMethod: "POST",
      headers: { "Content-Type": "application/json", "X-Many": "2" },
      multiValueHeaders: { "X-Many": ["1", "2"] },
      queryStringParameters: { x: "" },
      multiValueQueryStringParameters: { x: [""] },
      pathParameters: null,
      stageVariables: { colour: "red" },
      body: '{"ö":1}',
      isBase64Encoded: false,
      requestContext: {
        authorizer: {
          principalId: "usr_1",
          tenantId: "ten_1",
          currency: "0",
          isTest: "true",
          integrationLatency: expect.any(Number),
        },
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        identity: { apiKey: null, cognitoIdentityId: null },
      },
    });
    expect(Object.keys(event?.headers ?? {})).not.toContain("Connection");
    const [authorized] = gateway.events.authorizer as unknown as APIGatewayRequestAuthorizerEvent[];
    expect(event?.requestContext.requestId).toBe(authorized?.requestContext.requestId);
  });

  it("gets null where there are no parameters and no body, and the run's time", async () => {
    gateway.offsetMs = 5 * dayMs;
    await gateway.call("/v2/cards");
    const [event] = gateway.events.work as unknown as APIGatewayProxyEvent[];
    expect(event).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
    });
    expect(Number(event?.requestContext.requestTimeEpoch) - Date.now()).toBeGreaterThan(4 * dayMs);
  });

  it("answers with the function's status, headers and body", async () => {
    gateway.work = () => ({
      payload: {
        statusCode: 409,
        headers: { "X-One": 1, "X-Both": "lost", Date: "then" },
        multiValueHeaders: { "X-Both": ["a", "b"] },
        body: "é",
      },
    });
    const { status, headers, body } = await gateway.call("/v2/cards");
    expect([status, body, headers["x-one"], headers["x-both"]]).toEqual([409, "é", "1", "a, b"]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-length": "2",
      "x-amzn-remapped-date": "then",
    });
    expect(headers["x-amzn-requestid"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ["null", null],
    ["a text", "ok"],
    ["no status", { body: "{}" }],
    ["a status that is none", { statusCode: 99 }],
    ["a status that is no integer", { statusCode: "200.5" }],
    ["a body that is no text", { statusCode: 200, body: { a: 1 } }],
    ["headers that are none", { statusCode: 200, headers: "a: b" }],
    ["a header name that is none", { statusCode: 200, headers: { "a b": "c" } }],
    ["a header that would end the head", { statusCode: 200, headers: { a: "b\r\nc: d" } }],
  ])("answers 502 where the function says %s", async (_name, payload) => {
    gateway.work = () => ({ payload });
    const { status, body } = await gateway.call("/v2/cards");
    expect([status, json(body).code]).toEqual([502, "DEFAULT_5XX"]);
  });

  it("answers 502 where the function fails, and where it is throttled", async () => {
    gateway.work = () => ({
      payload: { errorMessage: "secret", errorType: "Error" },
      functionError: "Unhandled",
    });
    const failed = await gateway.call("/v2/cards");
    expect(failed.status).toBe(502);
    expect(failed.body).not.toContain("secret");
    gateway.work = () => Promise.reject(new InvocationRefused("TooManyRequestsException", "no"));
    expect((await gateway.call("/v2/cards")).status).toBe(502);
  });

  it("answers 504 when the integration takes too long", async () => {
    let finish = () => {};
    gateway.work = () =>
      new Promise((resolve) => {
        finish = () => resolve({ payload: { statusCode: 200 } });
      });
    const { status, headers } = await gateway.call("/v2/cards", { method: "PUT" });
    expect([status, headers["x-amzn-errortype"]]).toEqual([504, "InternalServerErrorException"]);
    finish();
  });

  it("answers 500 where the gateway itself fails, and lives on", async () => {
    gateway.work = () => Promise.reject(new Error("broken"));
    expect((await gateway.call("/v2/cards")).status).toBe(500);
    gateway.work = () => ({ payload: { statusCode: 200 } });
    expect((await gateway.call("/v2/cards")).status).toBe(200);
  });
});

describe("limits and malformed requests", () => {
  it("takes a body of 10 MB and refuses a longer one, before anybody is asked", async () => {
    const body = Buffer.alloc(10 * 1024 * 1024, "x");
    expect((await gateway.call("/v2/cards", { method: "POST", body })).status).toBe(200);
    const {
      status,
      headers,
      body: answer,
    } = await gateway.call("/v2/cards", { method: "POST", body: Buffer.concat([body, Buffer.from("x")]) });
    expect([status, json(answer).code, headers["x-amzn-errortype"]]).toEqual([
      413,
      "DEFAULT_4XX",
      "RequestTooLargeException",
    ]);
    expect(gateway.events.authorizer).toHaveLength(1);
  });

  it("refuses headers over 10 KB", async () => {
    const { status, body } = await gateway.call("/v2/cards", { headers: { "X-Long": "x".repeat(10_300) } });
    expect([status, json(body).code]).toEqual([431, "DEFAULT_4XX"]);
  });

  it.each([
    ["no HTTP", "hello\r\n\r\n"],
    ["a broken header", "GET /v2/cards HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n"],
    [
      "two lengths",
      "POST /v2/cards HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ],
    [
      "a length and chunks",
      "POST /v2/cards HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "a path that does not decode",
      "GET /v2/cards/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
    ["no host", "GET /v2/cards HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ])("answers 400 to %s", async (_name, bytes) => {
    expect(await gateway.raw(bytes)).toMatch(/^HTTP\/1\.1 400 /);
    expect(gateway.events.authorizer).toEqual([]);
  });

  it("takes a target in absolute form, and a query that is not encoded properly", async () => {
    const get = (target: string) =>
      gateway.raw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await get("https://localhost/v2/cards?a=%zz&&=b&c=d=e")).toMatch(/^HTTP\/1\.1 200 /);
    expect(gateway.events.work[0]).toMatchObject({
      path: "/v2/cards",
      queryStringParameters: { a: "%zz", "": "b", c: "d=e" },
    });
  });

  it("keeps serving when clients go away in the middle", async () => {
    await gateway.abandon("POST /v2/cards HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf");
    await gateway.abandon("GET /v2/cards HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect((await gateway.call("/v2/cards")).status).toBe(200);
  });

  it("notes the route, never the path, in the trace", async () => {
    await gateway.call("/v2/cards/crd_secret?token=secret");
    expect(gateway.traced).toMatchObject([
      { kind: "request", name: "GET /cards/{cardId}", detail: { status: 200 } },
    ]);
    expect(JSON.stringify(gateway.traced)).not.toContain("secret");
  });
});

describe("a template that the gateway does not serve is refused at start", () => {
  it.each([
    [
      "a cached verdict",
      "Authorizer",
      { AuthorizerResultTtlInSeconds: 300 },
      "AuthorizerResultTtlInSeconds 300",
    ],
    [
      "an identity source",
      "Authorizer",
      { IdentitySource: "method.request.header.X-API-Key" },
      "IdentitySource",
    ],
    ["IAM authorization", "GetCards", { AuthorizationType: "AWS_IAM" }, "AuthorizationType"],
    [
      "another integration",
      "GetCards",
      { Integration: { Type: "HTTP_PROXY", Uri: "https://x.test" } },
      "Integration.Type HTTP_PROXY",
    ],
    [
      "a domain without mutual TLS",
      "Domain",
      { MutualTlsAuthentication: undefined },
      "MutualTlsAuthentication is missing",
    ],
    ["an open default endpoint", "Api", { DisableExecuteApiEndpoint: false }, "DisableExecuteApiEndpoint"],
    [
      "a template with logic",
      "Denied",
      { ResponseTemplates: { "application/json": "#if($context.path)a#end" } },
      "#if",
    ],
  ])("%s", async (_name, logicalId, properties, message) => {
    const template = gatewayTemplate();
    const resource = template.Resources[logicalId] as { Properties: Record<string, unknown> };
    Object.assign(resource.Properties, properties);
    const refused = new GatewayUnderTest(pki);
    await expect(refused.start(template)).rejects.toThrow(message);
  });
});
