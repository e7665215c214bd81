import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

describe("requests that no well-meaning client would send", () => {
  let given: GivenPlatform;
  let key: string;

  beforeAll(async () => {
    given = await givenPlatform();
    key = given.connection.programApiKey;
  });
  afterAll(() => given?.stop());

  /** Sends these bytes on one connection. Returns the status of each response. */
  const statuses = (...lines: string[]): Promise<number[]> =>
    new Promise((resolve, reject) => {
      const { ca, cert, key: keyFile, baseUrl } = given.connection;
      const socket = connect({
        host: "127.0.0.1",
        port: Number(new URL(baseUrl).port),
        servername: "localhost",
        ca: readFileSync(ca),
        cert: readFileSync(cert),
        key: readFileSync(keyFile),
      });
      let received = "";
      socket.setEncoding("latin1");
      socket.on("data", (chunk: string) => {
        received += chunk;
      });
      socket.on("error", reject);
      socket.on("end", () => socket.end());
      socket.on("close", () =>
        resolve([...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))),
      );
      socket.write(lines.join("\r\n"), "latin1");
    });
  const get = (...headers: string[]) => [
    "GET /v2/wallets HTTP/1.1",
    "Host: localhost",
    ...headers,
    "Connection: close",
    "",
    "",
  ];
  /** Refused in whatever way: by the parser, or for want of a key. */
  const expectRefused = (answered: number[]) => {
    expect(answered).toHaveLength(1);
    expect([400, 401, 403]).toContain(answered[0]);
  };

  it("are written so that a right one passes", async () => {
    expect(await statuses(...get(`X-API-Key: ${key}`))).toEqual([200]);
    expect(await statuses(...get(`x-api-key:\t ${key} \t`))).toEqual([200]);
    expect(await statuses(...get())).toEqual([401]);
  });

  it.each<[string, (apiKey: string) => string[]]>([
    ["a space before the colon", (apiKey) => [`X-API-Key : ${apiKey}`]],
    ["a folded value", (apiKey) => ["X-API-Key:", ` ${apiKey}`]],
    ["a value folded in two", (apiKey) => [`X-API-Key: ${apiKey.slice(0, 20)}`, ` ${apiKey.slice(20)}`]],
    ["a NUL behind the key", (apiKey) => [`X-API-Key: ${apiKey}\0`]],
    ["a bare line feed before the name", (apiKey) => [`Accept: */*\nX-API-Key: ${apiKey}`]],
    ["a bare carriage return before the name", (apiKey) => [`Accept: */*\rX-API-Key: ${apiKey}`]],
    ["the name with an underscore", (apiKey) => [`X_API_Key: ${apiKey}`]],
    ["a quoted key", (apiKey) => [`X-API-Key: "${apiKey}"`]],
    ["the key and a wrong one", (apiKey) => [`X-API-Key: ${apiKey}`, "X-API-Key: wrong"]],
    ["a wrong key and the right one", (apiKey) => ["X-API-Key: wrong", `X-API-Key: ${apiKey}`]],
    ["both in one header", (apiKey) => [`X-API-Key: wrong, ${apiKey}`]],
    ["an empty key and the right one", (apiKey) => ["X-API-Key:", `x-api-key: ${apiKey}`]],
    ["the key as a header's name", (apiKey) => [`${apiKey}: X-API-Key`]],
  ])("do not pass with %s", async (_, headers) => {
    expectRefused(await statuses(...get(...headers(key))));
  });

  it("do not pass with the key in a trailer", async () => {
    const answered = await statuses(
      "POST /v2/wallets HTTP/1.1",
      "Host: localhost",
      "Transfer-Encoding: chunked",
      "Trailer: X-API-Key",
      "Connection: close",
      "",
      "0",
      `X-API-Key: ${key}`,
      "",
      "",
    );
    expectRefused(answered);
  });

  it("do not lend their key to the next one on the connection", async () => {
    const first = ["GET /v2/wallets HTTP/1.1", "Host: localhost", `X-API-Key: ${key}`, "", ""];
    const both = [...first.slice(0, -1), ...get()];
    expect(await statuses(...both)).toEqual([200, 401]);
  });

  it("do not hide another one in their body", async () => {
    const hidden = get(`X-API-Key: ${key}`).join("\r\n");
    const answered = await statuses(
      "POST /v2/wallets HTTP/1.1",
      "Host: localhost",
      `Content-Length: ${hidden.length + 5}`,
      "Transfer-Encoding: chunked",
      "Connection: close",
      "",
      "0",
      "",
      hidden,
    );
    expectRefused(answered);
  });

  it("do not pass a route by another spelling of it", async () => {
    for (const path of [
      "//v2/wallets",
      "/v2//wallets",
      "/v2/./wallets",
      "/v2/%77allets",
      "/V2/wallets",
      "/v2/wallets/",
    ]) {
      const answered = await statuses(`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close", "", "");
      expectRefused(answered);
    }
  });

  it("do not pass by another host's name", async () => {
    for (const host of ["sandbox.localhost", "execute-api.eu-west-1.amazonaws.com", "", "localhost@evil"]) {
      const answered = await statuses(
        "GET /v2/wallets HTTP/1.1",
        `Host: ${host}`,
        "Connection: close",
        "",
        "",
      );
      expectRefused(answered);
    }
  });
});
