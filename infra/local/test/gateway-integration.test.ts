import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { describe, expect, it, vi } from "vitest";
import { InvocationRejected } from "../interfaces.ts";
import { gatewayDocument, gatewayTemplate } from "./gateway-template.ts";
import { givenGateway } from "./given-gateway.ts";

const dayMs = 86_400_000;
const gateway = givenGateway();
const json = (text: string) => JSON.parse(text);

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
      stageVariables: null,
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

  it("gets the bytes of a binary media type, and of another a text with replacements", async () => {
    const latin1 = Buffer.from('{"ü":1}', "latin1");
    const bodies = async () => {
      await gateway.call("/v2/cards", { method: "POST", body: latin1 });
      await gateway.call("/v2/cards", { method: "POST", body: '{"ü":1}' });
      const events = gateway.events.work as unknown as APIGatewayProxyEvent[];
      return events.slice(-2).map(({ body, isBase64Encoded }) => [body, isBase64Encoded]);
    };
    expect(await bodies()).toEqual([
      ['{"\ufffd":1}', false],
      ['{"ü":1}', false],
    ]);
    await gateway.stop();
    const binary = { "x-amazon-apigateway-binary-media-types": ["*/*"] };
    await gateway.start(gatewayTemplate({ ...gatewayDocument(), ...binary }));
    expect(await bodies()).toEqual([
      [latin1.toString("base64"), true],
      [Buffer.from('{"ü":1}').toString("base64"), true],
    ]);
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
        headers: { "X-One": 1, Date: "then" },
        body: "é",
      },
    });
    const { status, headers, body } = await gateway.call("/v2/cards");
    expect([status, body, headers["x-one"]]).toEqual([409, "é", "1"]);
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

  it("answers 502 if the function fails or is throttled", async () => {
    gateway.work = () => ({
      payload: { errorMessage: "secret", errorType: "Error", statusCode: 200 },
      functionError: "Unhandled",
    });
    const failed = await gateway.call("/v2/cards");
    expect(failed.status).toBe(502);
    expect(failed.body).not.toContain("secret");
    gateway.work = () => Promise.reject(new InvocationRejected("TooManyRequestsException", "no"));
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
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    gateway.work = () => Promise.reject(new Error("broken"));
    expect((await gateway.call("/v2/cards")).status).toBe(500);
    expect(logged).toHaveBeenCalledWith(expect.objectContaining({ message: "broken" }));
    logged.mockRestore();
    gateway.work = () => ({ payload: { statusCode: 200 } });
    expect((await gateway.call("/v2/cards")).status).toBe(200);
  });
});
