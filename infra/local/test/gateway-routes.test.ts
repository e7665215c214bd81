import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { gatewayDocument, gatewayTemplate } from "./gateway-template.ts";
import { givenGateway } from "./given-gateway.ts";

const gateway = givenGateway();
const json = (text: string) => JSON.parse(text);

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
      multiValueHeaders: { "X-Forwarded-For": ["203.0.113.9, 127.0.0.1"] },
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
    const document = gatewayDocument();
    delete document.paths["/{proxy+}"];
    await gateway.start(gatewayTemplate(document));
    const { status, headers, body } = await gateway.call("/v2/nothing");
    expect([status, json(body).code, headers["x-amzn-errortype"]]).toEqual([
      403,
      "DEFAULT_4XX",
      "MissingAuthenticationTokenException",
    ]);
    expect(gateway.events.authorizer).toEqual([]);
  });
});
