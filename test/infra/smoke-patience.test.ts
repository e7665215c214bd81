import { describe, expect, test } from "vitest";
import { Checks } from "../tools/smoke/checks.ts";
import type { RawAnswer } from "../tools/smoke/deployment.ts";
import { type Asked, untilItTakesRequests } from "../tools/smoke/patience.ts";

const connection = {
  baseUrl: "https://api.customer.example/v2",
  sandboxUrl: "https://sandbox.customer.example/v2",
  cert: "client.pem",
  key: "client.key",
  programApiKey: "program",
  tenantApiKey: "tenant",
};
const answer = (status: number): RawAnswer => ({ status, requestId: undefined, body: {} });

/** A deployment that takes requests after some that it does not take. */
function hesitant(...first: (() => Promise<RawAnswer>)[]): Asked & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    connection,
    asked,
    raw(line) {
      asked.push(line);
      return first.shift()?.() ?? Promise.resolve(answer(line.startsWith("POST") ? 400 : 200));
    },
  };
}

describe("a smoke test with patience", () => {
  const patience = { seconds: 30, intervalMs: 1 };

  test("waits for DNS, the gateway and each usage key, and prints each reason once", async () => {
    const told: string[] = [];
    const unknown = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
    const refused = async () => answer(403);
    const taken = async () => answer(200);
    const deployment = hesitant(unknown, unknown, refused, taken, async () => answer(503));
    await untilItTakesRequests(deployment, { ...patience, tell: (line) => told.push(line) });
    expect(told).toEqual([
      "# waiting: GET /cards answers ENOTFOUND",
      "# waiting: GET /cards answers 403",
      "# waiting: POST /cardholders answers 503",
    ]);
    expect(deployment.asked.slice(-5).map((line) => line.split("?")[0])).toEqual([
      "GET /cards",
      "POST /cardholders",
      "POST /wallets/transfer",
      "GET /account/programs",
      "POST /sandbox/cardholders/chd_00000000000000000000000000/kyc-outcome",
    ]);
  });

  test("gives up after its patience", async () => {
    const refusing = { connection, raw: async () => answer(401) };
    const waiting = untilItTakesRequests(refusing, { seconds: 0.01, intervalMs: 1, tell: () => undefined });
    await expect(waiting).rejects.toThrow("It takes no requests: GET /cards answers 401");
  });
});

describe("a caller without access", () => {
  const checks = new Checks(() => undefined);
  const calledWith = (status: number, body: unknown) =>
    checks.turnedAway("it", Promise.resolve({ status, body }));

  test("gets no answer, or the gateway's own answer", async () => {
    await checks.turnedAway("it", Promise.reject(new Error("handshake failure")));
    await calledWith(403, { message: "Forbidden" });
    expect(checks.count).toBe(2);
  });

  test.each([
    [200, { status: "success" }],
    [403, { status: "error", code: "CERTIFICATE_NOT_AUTHORIZED", message: "Forbidden" }],
    [401, { message: "Forbidden" }],
  ])("gets no %i from a function", async (status, body) => {
    await expect(calledWith(status, body)).rejects.toThrow("expected to be turned away");
  });
});
