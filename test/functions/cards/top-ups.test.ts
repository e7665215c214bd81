import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { topUps } from "../../../shared/top-ups/top-up.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import { type BusRecorder, startBusRecorder } from "../../harness/bus-recorder.ts";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { doJob } from "../../harness/given-jobs.ts";
import { givenStream } from "../../harness/given-stream.ts";
import { measure } from "../../harness/measure.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

let bus: BusRecorder;
let relay: typeof import("../../../functions/outbox-relay/handler.ts")["handler"];

beforeAll(async () => {
  bus = await startBusRecorder();
  relay = (await import("../../../functions/outbox-relay/handler.ts")).handler;
});
beforeEach(() => {
  bus.calls.length = 0;
});
afterEach(() => void vi.useRealTimers());

const settings = { threshold: 1_000, amount: 500 };

/** A Card with 1,200 that is topped up from a Wallet. */
async function given(inWallet = 10_000, changes: object = {}, options: object = {}) {
  const program = await givenProgram(options);
  const { programId } = program;
  const source = await givenWallet(program, 1_200);
  const walletId = inWallet === 0 ? await givenWallet(program) : await givenWallet(program, inWallet);
  const { cardId } = await givenCard(program);
  const load = { sourceWalletId: source, destinationType: 1, destinationId: cardId, amount: 1_200 };
  await program.call("POST /wallets/transfer", { body: load });
  const path = { cardId };
  const put = (body: object = {}) =>
    program.call("PUT /cards/{cardId}/top-up", {
      path,
      body: { walletId, ...settings, ...changes, ...body },
    });
  const stream = await givenStream(programId);
  expect((await put()).status).toBe(200);
  /** What the relay has found to be due since the last time. */
  const relayed = async (): Promise<OutboxEvent[]> => {
    bus.calls.length = 0;
    expect(await relay({ Records: await stream.next() })).toEqual({ batchItemFailures: [] });
    const due = bus.calls.flat().filter(({ DetailType }) => DetailType === "top_up.due");
    return due.map(({ Detail }) => JSON.parse(Detail));
  };
  const run = async () => {
    for (let due = await relayed(); due.length > 0; due = await relayed())
      for (const event of due) await doJob(event);
  };
  await run();
  const account = async () => cards.at(programId, cardId).get();
  return {
    ...{ program, programId, cardId, walletId, source, path, put, relayed, run, account },
    available: async () => (await account())?.availableMinor,
    view: async () => (await program.call("GET /cards/{cardId}/top-up", { path })).body.data,
    unload: (amount: number) =>
      program.call("POST /cards/{cardId}/unload", { path, body: { walletId: source, amount } }),
    transfers: async () => {
      const { items } = (await program.call("GET /wallets/{walletId}/transfers", { path: { walletId } }))
        .body;
      return items.map(({ transStatus, transferredAmount, automatic }: Record<string, unknown>) => [
        transStatus,
        transferredAmount,
        automatic,
      ]);
    },
    deposit: (amount: number) =>
      program.call("POST /wallets/{walletId}/bank-deposit", { path: { walletId }, body: { amount } }),
  };
}

const authorization = (programId: string, cardId: string, amount: number) => ({
  ...{ kind: "authorization", eventId: `evt-${programId}-${amount}`, programId, cardId },
  ...{ authorizationId: `auth-${programId}-${amount}`, amount, merchant: { name: "Shop", mcc: "5411" } },
});

describe("a Card below its threshold", () => {
  it("gets the amount again and again until it is not below, by transfers that say so", async () => {
    const of = await given();
    expect(await of.transfers()).toEqual([]);
    await of.unload(200);
    await of.run();
    expect(await of.available()).toBe(1_000);
    await of.unload(900);
    await of.run();
    expect(await of.available()).toBe(1_100);
    expect(await of.transfers()).toEqual([
      [1, 500, true],
      [1, 500, true],
    ]);
    const query = { type: "top_up" };
    const path = { walletId: of.walletId };
    const { items } = (await of.program.call("GET /wallets/{walletId}/transactions", { path, query })).body;
    expect(items.map(({ amount }: { amount: number }) => amount)).toEqual([-500, -500]);
    expect(await of.view()).toMatchObject({ ...settings, active: true, usedToday: 1_000 });
    await expectBooksInOrder(of.programId);
  });

  it("is topped up after an authorization, which takes no more for it", async () => {
    const of = await given();
    const other = await given();
    await other.program.call("DELETE /cards/{cardId}/top-up", { path: other.path });
    const authorize = ({ programId, cardId }: typeof of) =>
      measure(() => applyEvent(authorization(programId, cardId, 700)));
    const topped = await authorize(of);
    const plain = await authorize(other);
    expect([topped.result.outcome, plain.result.outcome]).toEqual(["applied", "applied"]);
    expect(topped.cost.roundTrips).toBe(plain.cost.roundTrips);
    expect(await of.available()).toBe(500);
    await of.run();
    expect([await of.available(), await other.available()]).toEqual([1_000, 500]);
    expect(await other.relayed()).toEqual([]);
  });

  it("is topped up at once if it is below as the top-up is set, and not while it is inactive", async () => {
    const of = await given(10_000, { active: false });
    await of.unload(700);
    expect(await of.relayed()).toEqual([]);
    await of.put({ active: true });
    await of.run();
    expect(await of.available()).toBe(1_000);
    await of.program.call("DELETE /cards/{cardId}/top-up", { path: of.path });
    await of.unload(700);
    expect([await of.relayed(), (await of.view())?.active]).toEqual([[], undefined]);
  });

  it("gets nothing while it is on hold or blocked, and what it lacks then", async () => {
    const of = await given();
    const set = (status: number) =>
      of.program.call("PUT /cards/{cardId}/status", { path: of.path, body: { status } });
    await of.unload(300);
    const [late] = await of.relayed();
    await set(2);
    if (late) await doJob(late);
    await of.run();
    expect(await of.available()).toBe(900);
    await set(1);
    const { programId, cardId } = of;
    await of.program.operate("block-card", { programId, cardId });
    await of.run();
    expect(await of.available()).toBe(900);
    await of.program.operate("unblock-card", { programId, cardId });
    await of.run();
    expect(await of.available()).toBe(1_400);
  });

  it("gets nothing once it is closed", async () => {
    const of = await given();
    await of.unload(300);
    const [late] = await of.relayed();
    const body = { sweepToWalletId: of.walletId };
    expect((await of.program.call("POST /cards/{cardId}/close", { path: of.path, body })).status).toBe(200);
    if (late) await doJob(late);
    await of.run();
    expect([await of.available(), await of.transfers()]).toEqual([0, []]);
    expect((await of.put()).status).toBe(409);
  });
});

describe("a day's maximum", () => {
  it("counts by the Program's day: the last one is smaller, and the next day goes on", async () => {
    const timeZone = "America/New_York";
    // The clock goes back on 1 November 2071: the day has 25 hours.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2071-11-01T04:30:00.000Z") });
    const of = await given(10_000, { dailyMax: 800 }, { settings: { timeZone } });
    await of.unload(1_200);
    await of.run();
    expect([await of.available(), (await of.view()).usedToday]).toEqual([800, 800]);
    expect(await of.transfers()).toEqual([
      [1, 300, true],
      [1, 500, true],
    ]);
    // 24 hours after the day began, it is 23:59 of the same day.
    vi.setSystemTime(Date.parse("2071-11-02T04:59:00.000Z"));
    await sweepDeadlines();
    await of.unload(1);
    await of.run();
    expect(await of.available()).toBe(799);
    vi.setSystemTime(Date.parse("2071-11-02T05:00:00.000Z"));
    await sweepDeadlines();
    await of.run();
    expect([await of.available(), (await of.view()).usedToday]).toEqual([1_299, 500]);
    const stored = await topUps.at(of.programId, of.cardId).get();
    expect(stored?.dueAt).toBeUndefined();
  });
});

describe("a Wallet that lacks the money", () => {
  it("moves nothing, which is recorded once, and pays within a minute of having it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2072-01-05T10:00:00.000Z") });
    const of = await given(499);
    await of.unload(300);
    await of.run();
    await of.unload(10);
    await of.run();
    expect([await of.available(), await of.transfers()]).toEqual([890, [[2, 0, true]]]);
    expect(await of.view()).toMatchObject({ lackedAt: "2072-01-05T10:00:00.000Z", usedToday: 0 });
    vi.setSystemTime(Date.parse("2072-01-05T10:01:00.000Z"));
    await sweepDeadlines();
    expect(await of.transfers()).toHaveLength(1);
    await of.deposit(1);
    vi.setSystemTime(Date.parse("2072-01-05T10:02:00.000Z"));
    await sweepDeadlines();
    expect([await of.available(), (await of.transfers()).length]).toEqual([1_390, 2]);
    expect((await of.view()).lackedAt).toBeUndefined();
    vi.setSystemTime(Date.parse("2072-01-05T10:03:00.000Z"));
    await sweepDeadlines();
    await sweepDeadlines();
    await expectBooksInOrder(of.programId);
  });

  it("is tried and recorded again after an hour, and no more once the Card is not below", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2073-01-05T10:00:00.000Z") });
    const of = await given(0);
    await of.unload(300);
    await of.run();
    for (const minute of ["10:30", "11:00", "11:01", "11:59"]) {
      vi.setSystemTime(Date.parse(`2073-01-05T${minute}:00.000Z`));
      await sweepDeadlines();
    }
    expect(await of.transfers()).toEqual([
      [2, 0, true],
      [2, 0, true],
    ]);
    const load = {
      ...{ sourceWalletId: of.source, destinationType: 1, destinationId: of.cardId },
      amount: 300,
    };
    await of.program.call("POST /wallets/transfer", { body: load });
    vi.setSystemTime(Date.parse("2073-01-05T12:00:00.000Z"));
    await sweepDeadlines();
    expect([(await of.transfers()).length, (await of.view()).lackedAt]).toEqual([2, undefined]);
  });
});

describe("PUT /cards/{cardId}/top-up", () => {
  it("answers 404 for another Program's Card or Wallet, and names fields that are wrong", async () => {
    const [of, other] = [await given(), await given()];
    const { program, path } = of;
    const body = { walletId: of.walletId, ...settings };
    const route = "PUT /cards/{cardId}/top-up";
    const stranger = await program.call(route, { path: other.path, body });
    const wallet = await of.put({ walletId: other.walletId });
    const wrong = await program.call(route, {
      path,
      body: { ...body, threshold: -1, amount: 0, dailyMax: 0.5 },
    });
    expect([stranger.status, wallet.status, wrong.status]).toEqual([404, 404, 422]);
    expect(wrong.body.errors.map((fault: { path: string }) => fault.path)).toEqual([
      "body.threshold",
      "body.amount",
      "body.dailyMax",
    ]);
  });

  it("keeps what has moved today, and is in the audit log", async () => {
    const of = await given(10_000, { dailyMax: 600 });
    await of.unload(300);
    await of.run();
    await of.put({ amount: 400 });
    expect(await of.view()).toMatchObject({ amount: 400, usedToday: 500 });
    const { items } = (await of.program.call("GET /account/audit-log", { query: { action: "top-up.put" } }))
      .body;
    expect(items).toHaveLength(2);
    expect(items[0]).toMatchObject({ subjectId: of.cardId, after: { amount: 400 }, before: { amount: 500 } });
  });
});
