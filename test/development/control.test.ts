import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startControl } from "../../infra/development/control.ts";
import { VirtualClock } from "../../infra/local/clock.ts";
import { InvocationRejected } from "../../infra/local/interfaces.ts";
import type { LoopbackServer } from "../../infra/local/loopback-server.ts";
import { Metrics, memoryTrace } from "../../infra/local/telemetry.ts";

const directory = mkdtempSync(join(tmpdir(), "control-"));
const clock = new VirtualClock(join(directory, "clock.json"));
const trace = memoryTrace(clock);
const metrics = new Metrics();
let control: LoopbackServer;
let published = 0;
const publishTruststore = async () => {
  published += 1;
};

const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${control.url}${path}`, { method, body, headers });
  // biome-ignore lint/suspicious/noExplicitAny: the answers are compared, not used.
  return { status: response.status, body: (await response.json()) as any };
};

/** What the control port was asked to kill. */
const kills: unknown[] = [];
const functions = {
  killNext: async (service: string, afterMs: number) => {
    if (service === "unknown")
      throw new InvocationRejected("ResourceNotFoundException", "Function not found");
    kills.push([service, afterMs]);
    return true;
  },
};

beforeAll(async () => {
  const console = { answer: async () => Promise.reject(new Error("The console could not start.")) };
  control = await startControl({ clock, trace, metrics, functions, publishTruststore, console });
});
afterAll(async () => {
  await control.stop();
  clock.stop();
  rmSync(directory, { recursive: true });
});

describe("the control port", () => {
  it("answers a health check", async () => {
    expect(await call("GET", "/health")).toEqual({ status: 200, body: { status: "ok" } });
  });

  it("says why there is no console", async () => {
    const body = { error: "The console could not start." };
    expect(await call("GET", "/console")).toEqual({ status: 502, body });
  });

  it("shows what the functions measured", async () => {
    expect(await call("GET", "/metrics")).toEqual({ status: 200, body: { metrics: [], faults: [] } });
  });

  it("reloads the gateway's truststore", async () => {
    expect(await call("POST", "/truststore")).toEqual({ status: 200, body: { published: true } });
    expect(published).toBe(1);
  });

  it.each([
    ["90s", 90_000],
    ["15m", 900_000],
    ["25h", 90_000_000],
    ["7d", 604_800_000],
  ])("moves the clock by %s", async (advance, ms) => {
    const before = Date.parse((await call("GET", "/clock")).body.now);
    const { status, body } = await call("POST", "/clock", JSON.stringify({ advance }));
    expect(status).toBe(200);
    expect(Date.parse(body.now) - before).toBeGreaterThanOrEqual(ms);
    expect(Date.parse(body.now) - before).toBeLessThan(ms + 5_000);
  });

  it.each([
    ...["", "{", "[]", "{}", '{"advance":60}', '{"advance":"0h"}', '{"advance":"-1h"}', '{"advance":"1w"}'],
  ])("answers 400 to the advance %s and leaves the clock alone", async (body) => {
    const before = clock.offsetMs;
    const answer = await call("POST", "/clock", body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toEqual(expect.any(String));
    expect(clock.offsetMs).toBe(before);
  });

  it("answers 400 to an advance of more than ten years and to one with another field", async () => {
    expect((await call("POST", "/clock", '{"advance":"99999d"}')).status).toBe(400);
    expect((await call("POST", "/clock", '{"advance":"1s","to":"x"}')).status).toBe(400);
  });

  it("answers 503 with the remaining time if the platform does not settle, and continues when called again", async () => {
    let restless = false;
    clock.settleWith(async () => {
      if (restless) throw new Error("Still in motion after 60 s: queue callbacks");
    });
    const from = clock.now();
    const cancel = clock.at(clock.now() + 60_000, () => {
      restless = true;
    });
    const { status, body } = await call("POST", "/clock", '{"advance":"1h"}');
    expect(status).toBe(503);
    expect(body.error).toContain("Still in motion after 60 s: queue callbacks");
    expect(Date.parse(body.now) - from).toBeGreaterThanOrEqual(60_000);
    expect(Date.parse(body.now) - from).toBeLessThan(120_000);
    expect(body.leftSeconds).toBeGreaterThan(3_500);
    expect(body.leftSeconds).toBeLessThan(3_560);
    restless = false;
    expect((await call("POST", "/clock", `{"advance":"${body.leftSeconds}s"}`)).status).toBe(200);
    expect(clock.now() - from).toBeGreaterThanOrEqual(3_600_000);
    cancel();
    clock.settleWith(async () => undefined);
  });

  it("kills the next run of a function on demand", async () => {
    const answer = await call("POST", "/kill", '{"function":"webhook-fanout","afterMs":7}');
    expect(answer).toEqual({ status: 200, body: { killed: true } });
    expect(kills).toEqual([["webhook-fanout", 7]]);
    expect((await call("POST", "/kill", '{"function":"unknown"}')).status).toBe(404);
    expect((await call("POST", "/kill", '{"function":"cards","afterMs":-1}')).status).toBe(400);
  });

  it("gives the trace from a sequence number on", async () => {
    trace.record({ kind: "request", name: "GET /cards/{cardId}", detail: { status: 200 } });
    trace.record({ kind: "invocation", name: "cards" });
    const all = (await call("GET", "/trace")).body.entries;
    expect(all.map((entry: { name: string }) => entry.name)).toEqual(["GET /cards/{cardId}", "cards"]);
    const rest = await call("GET", `/trace?after=${all[0].sequence}`);
    expect(rest.body.entries).toEqual([all[1]]);
    expect((await call("GET", "/trace?after=x")).status).toBe(400);
  });

  it("works out what a change of money was when somebody asks, at its place in the trace", async () => {
    const { sequence: before } = trace.since(0).at(-1) ?? { sequence: 0 };
    let asked = 0;
    trace.recordLater(2, () => {
      asked += 1;
      return [{ kind: "ledger-entry", name: "transfer" }];
    });
    trace.record({ kind: "invocation", name: "cards" });
    expect(asked).toBe(0);
    const { entries } = (await call("GET", `/trace?after=${before}`)).body;
    expect(entries.map(({ name }: { name: string }) => name)).toEqual(["transfer", "cards"]);
    expect(entries[0].sequence).toBe(before + 1);
    expect(trace.since(entries[1].sequence)).toEqual([]);
    expect(asked).toBe(1);
  });

  it("keeps no more to be worked out than it keeps entries", () => {
    const kept = memoryTrace(clock);
    for (let batch = 0; batch < 200; batch += 1)
      kept.recordLater(100, () => [{ kind: "ledger-entry", name: "transfer" }]);
    expect(kept.since(0).length).toBeLessThanOrEqual(102);
    expect(kept.since(0).at(-1)?.sequence).toBe(19_901);
  });

  it("answers 404 and 405 to unknown routes, and rejects a browser's page", async () => {
    expect((await call("GET", "/other")).status).toBe(404);
    expect((await call("GET", "/constructor")).status).toBe(404);
    expect((await call("DELETE", "/clock")).status).toBe(405);
    const fromPage = await call("POST", "/clock", '{"advance":"1s"}', { origin: "https://example.com" });
    expect(fromPage.status).toBe(400);
  });
});
