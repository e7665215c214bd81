import { describe, expect, it } from "vitest";
import { givenGateway } from "./given-gateway.ts";

const gateway = givenGateway();
const json = (text: string) => JSON.parse(text);

describe("limits and malformed requests", () => {
  it("accepts a body of 10 MB and rejects a longer one before the authorizer runs", async () => {
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

  it("rejects headers over 10 KB", async () => {
    const { status } = await gateway.call("/v2/cards", { headers: { "X-Long": "x".repeat(10_300) } });
    expect(status).toBe(431);
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
