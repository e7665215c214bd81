import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { givenLiveProgram, type LiveProgram, operateOn } from "../harness/given-live-program.ts";
import type { Answer } from "../harness/replay.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const soon = { timeout: 60_000, interval: 50 };
const codes = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const countOf = (answers: readonly Answer[], status: number) =>
  codes(answers).filter((each) => each === status).length;

describe("the rate limits of a Program", () => {
  let given: GivenPlatform;
  let platform: Platform;
  let limited: LiveProgram;

  beforeAll(async () => {
    given = await givenPlatform();
    const { connection } = given;
    ({ platform } = given);
    limited = await givenLiveProgram(connection, { limited: true });
    // So that what follows is as fast as it can be.
    await platform.functions.warmUp();
  });
  afterAll(async () => {
    await limited?.close();
    await given?.stop();
  });

  const read = (program: LiveProgram) => program.call("GET /wallets");
  const write = (program: LiveProgram) => program.call("POST /wallets", { body: { name: "Another" } });
  const walletOf = async (program: LiveProgram): Promise<{ walletId: string; ledgerBalance: number }> =>
    (await read(program)).body.items.find(({ name }: { name: string }) => name === "Default");
  const deposit = (program: LiveProgram, walletId: string, headers: Record<string, string> = {}) =>
    program.call("POST /wallets/{walletId}/bank-deposit", {
      path: { walletId },
      body: { amount: 100 },
      headers,
    });
  /**
   * Sends three at a time. Returns how many a full bucket may have let through. The buckets' clock
   * runs at a twentieth, so that a slow machine reaches the limit.
   */
  const atOnce = async (requests: number, perSecond: number, send: (index: number) => Promise<Answer>) => {
    const now = performance.now.bind(performance);
    const startedMs = now();
    const slowed = vi
      .spyOn(performance, "now")
      .mockImplementation(() => startedMs + (now() - startedMs) / 20);
    const answers: Answer[] = [];
    let next = 0;
    const sender = async () => {
      for (let index = next++; index < requests; index = next++) answers[index] = await send(index);
    };
    await Promise.all([sender(), sender(), sender()]);
    const seconds = (performance.now() - startedMs) / 1000;
    slowed.mockRestore();
    return { answers, most: Math.ceil(perSecond + perSecond * seconds) };
  };
  const recovered = (program: LiveProgram, send: (program: LiveProgram) => Promise<Answer>) =>
    vi.waitFor(async () => expect((await send(program)).status).toBe(200), soon);

  it("allow 10 writes at once; further ones get 429 in the envelope", async () => {
    // Bodies that are refused count as well, and are answered sooner than the limit refills.
    const { answers, most } = await atOnce(60, 10, () => limited.call("POST /wallets", { body: {} }));
    expect(countOf(answers, 422)).toBeGreaterThanOrEqual(10);
    expect(countOf(answers, 422)).toBeLessThanOrEqual(most);
    expect(countOf(answers, 422) + countOf(answers, 429)).toBe(60);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({
      status: "error",
      code: "RATE_LIMITED",
      message: "Too many requests. Back off and retry.",
      requestId: refused?.headers["x-request-id"],
    });
    expect(refused?.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    const thresholds = Object.keys(refused?.headers ?? {}).filter((name) =>
      /retry-after|limit|remaining|reset/i.test(name),
    );
    expect(thresholds).toEqual([]);
  });

  it("a throttled funds move moves nothing, and its Idempotency-Key can be used again", async () => {
    const { walletId, ledgerBalance } = await walletOf(limited);
    const keys = Array.from({ length: 30 }, (_, index) => `move-${index}`);
    const { answers, most } = await atOnce(30, 5, (index) =>
      deposit(limited, walletId, { "Idempotency-Key": keys[index] ?? "" }),
    );
    const moved = countOf(answers, 200);
    expect(countOf(answers, 429)).toBe(30 - moved);
    expect(moved).toBeGreaterThanOrEqual(5);
    expect(moved).toBeLessThanOrEqual(most);
    expect((await walletOf(limited)).ledgerBalance).toBe(ledgerBalance + moved * 100);

    const refused = keys[answers.findIndex(({ status }) => status === 429)] ?? "";
    await recovered(limited, () => deposit(limited, walletId, { "Idempotency-Key": refused }));
    await recovered(limited, () => deposit(limited, walletId, { "Idempotency-Key": refused }));
    expect((await walletOf(limited)).ledgerBalance).toBe(ledgerBalance + (moved + 1) * 100);
  });

  it("are raised by the operator, kind by kind, with an entry in the audit log", async () => {
    const { programId } = limited;
    const raised = await operateOn(platform.connection, "set-rate-limits", { programId, writes: "raised" });
    expect(raised.rateLimits).toEqual({ reads: "standard", writes: "raised", fundsMoves: "standard" });
    const { answers } = await atOnce(40, 40, () => write(limited));
    expect(new Set(codes(answers))).toEqual(new Set([200]));
    const { walletId } = await walletOf(limited);
    const moves = await atOnce(30, 5, () => deposit(limited, walletId));
    expect(countOf(moves.answers, 429)).toBeGreaterThan(0);
    const log = await limited.call("GET /account/audit-log", { query: { limit: "200" } });
    const [entry] = log.body.items.filter(
      ({ action, subjectId }: { action: string; subjectId: string }) =>
        action === "program.rate-limits.update" && subjectId === programId,
    );
    expect(entry).toMatchObject({
      programId,
      before: { reads: "standard", writes: "standard", fundsMoves: "standard" },
      after: { reads: "standard", writes: "raised", fundsMoves: "standard" },
    });
  });
});
