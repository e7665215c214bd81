import { afterEach, describe, expect, it, vi } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { limitFields, newLimit } from "../../../shared/cards/limit.ts";
import { usages } from "../../../shared/controls/usage.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { toOtherId } from "../../../shared/platform/id.ts";
import { findFaults } from "../../harness/audit-books.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

afterEach(() => void vi.useRealTimers());

const A = "A";
const authorization = (amount: number, authorizationId = A) =>
  ({ kind: "authorization", authorizationId, amount }) as const;
const above = { approved: false, declineReason: "SPEND_LIMIT" };
const approved = { approved: true };

async function givenLimit(amount = 1_000, window = "day", walletMinor = 10_000) {
  const given = await givenFundedCards(walletMinor);
  const { call, walletId, setCard } = given;
  const put = async (body: object) => {
    const answer = await call("PUT /cards/{cardId}/funding", {
      body: { fundingWalletId: walletId, ...body },
    });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.data;
  };
  await setCard(limitFields(newLimit({ amount, window }, timestamp(), { timeZone: "Etc/UTC" })));
  const view = async () => (await call("GET /cards/{cardId}/funding")).body.data;
  const spend = async () => {
    const { used, remaining, spendable } = await view();
    return [used, remaining, spendable];
  };
  return {
    ...given,
    put,
    view,
    spend,
    limit: (to: number, of = window) => put({ spendLimit: { amount: to, window: of } }),
  };
}

const setTime = (iso: string) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(new Date(iso));
};

describe("a spend limit", () => {
  it("is never exceeded by many at once, nor is one refused that it leaves room for", async () => {
    const { send, balances, spend } = await givenLimit(1_000);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => send(authorization(200, `race-${index}`))),
    );
    const by = (reason: string | undefined) =>
      answers.filter((one) => (one as { declineReason?: string }).declineReason === reason).length;
    expect([by(undefined), by("SPEND_LIMIT")]).toEqual([5, 7]);
    expect(await balances()).toEqual([9_000, 1_000, 10_000]);
    expect(await spend()).toEqual([1_000, 0, 0]);
  });

  it.each(["day", "PT1H", "lifetime"])(
    "takes 50 at once in its %s, none of which waits too long",
    async (window) => {
      const { send, balances, spend, view } = await givenLimit(4_000, window, 20_000);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => send(authorization(100, `race-${index}`))),
      );
      const by = (reason: string | undefined) =>
        answers.filter((one) => (one as { declineReason?: string }).declineReason === reason).length;
      expect([by(undefined), by("SPEND_LIMIT")]).toEqual([40, 10]);
      expect(await balances()).toEqual([16_000, 4_000, 20_000]);
      expect(await spend()).toEqual([4_000, 0, 0]);
      expect(await view()).toMatchObject({ held: 4_000 });
    },
  );

  it("is exact while others give back what they held", async () => {
    const { send, apply, balances, spend } = await givenLimit(2_000, "PT1H", 20_000);
    for (let index = 0; index < 10; index += 1) await apply(authorization(100, `held-${index}`));
    const reversals = Array.from({ length: 10 }, (_, index) =>
      send({ kind: "authorization_reversal", authorizationId: `held-${index}` }),
    );
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, (_, index) => send(authorization(100, `race-${index}`))),
      ...reversals,
    ]);
    const approved = answers.filter((one) => (one as { approved?: boolean }).approved).length;
    expect(approved).toBeGreaterThanOrEqual(10);
    expect(approved).toBeLessThanOrEqual(20);
    expect((await spend())[0]).toBe(approved * 100);
    expect((await balances())[1]).toBe(approved * 100);
  });

  it("is audited by what its holds and postings count", async () => {
    const { apply, programId, cardId } = await givenLimit();
    await apply(authorization(300));
    await apply({ kind: "clearing", authorizationId: A, amount: 250, final: true });
    await apply(authorization(200, "B"));
    const faults = async () => (await findFaults()).filter((one) => one.startsWith(programId));
    expect(await faults()).toEqual([]);
    const controlId = toOtherId("control", cardId);
    const usage = usages.limit.at(programId, cardId);
    const { version, totalMinor = 0, controls } = await usage.require();
    await usage.updateNow({ set: { totalMinor: totalMinor - 1 } });
    expect(await faults()).toEqual([
      `${programId}: ${controlId} has counted 450 in its periods, but 449 in all.`,
    ]);
    const [[since = "", [cell] = []] = []] = Object.entries(controls[controlId]?.cells ?? {});
    const cells = { [since]: [{ ...cell, amount: 451 }] } as never;
    await usage.updateNow({
      set: { version, totalMinor: 451, controls: { [controlId]: { ...controls[controlId], cells } } },
    });
    expect(await faults()).toEqual([
      `${programId}: ${controlId} has counted 451 in 2, its transactions 450 in 2.`,
    ]);
  });
});

describe("the window of a spend limit", () => {
  it("knows them from the request that sets it, as long as it counts days", async () => {
    const { limit, put, programId, cardId, setProgram } = await givenLimit(1_000, "PT1H");
    const stored = async () => (await cards.at(programId, cardId).require()).spendLimitTimeZone;
    await setProgram({ timeZone: "Asia/Tokyo" });
    expect(await stored()).toBeUndefined();
    await limit(1_000, "month");
    expect(await stored()).toBe("Asia/Tokyo");
    await limit(1_000, "lifetime");
    expect(await stored()).toBeUndefined();
    await limit(1_000, "week");
    await put({ spendLimit: null });
    expect(await stored()).toBeUndefined();
  });

  it("is of the Program's days where the limit does not know them", async () => {
    setTime("2026-07-01T10:00:00.000Z");
    const { apply, spend, setCard, setProgram } = await givenLimit(1_000, "lifetime");
    await setProgram({ timeZone: "Asia/Tokyo" });
    await setCard({ spendLimitWindow: "day" });
    await apply(authorization(900));
    setTime("2026-07-01T15:00:00.000Z");
    expect((await spend())[0]).toBe(0);
  });

  it("is exact in the minute in which what is over is still stored", async () => {
    setTime("2026-07-01T10:00:00.000Z");
    const { apply, spend, send } = await givenLimit(1_000, "PT1H");
    await apply(authorization(600));
    setTime("2026-07-01T11:01:00.000Z");
    await apply(authorization(500, "B"));
    const given = await Promise.all([
      send({ kind: "authorization_reversal", authorizationId: A }),
      ...["C", "D", "E"].map((id) => send(authorization(250, id))),
    ]);
    expect(given.filter((one) => (one as { approved?: boolean }).approved)).toHaveLength(2);
    expect(await spend()).toEqual([1_000, 0, 0]);
    expect(await apply(authorization(1, "F"))).toMatchObject(above);
    setTime("2026-07-01T11:03:00.000Z");
    await apply({ kind: "authorization_reversal", authorizationId: "B" });
    expect(await spend()).toEqual([500, 500, 500]);
  });
});

describe("a Card with a spend limit", () => {
  it("is followed by a process that met it without, with another, or before it was removed", async () => {
    const { apply, setCard, spend } = await givenLimit();
    await apply(authorization(100));
    // As another process changes it.
    await setCard({ spendLimitMinor: 150 });
    expect(await apply(authorization(51, "B"))).toMatchObject(above);
    expect(await apply(authorization(50, "C"))).toMatchObject(approved);
    await setCard({ spendLimitMinor: 1_000, spendLimitWindow: "month", spendLimitFrom: timestamp() });
    expect(await apply(authorization(1_000, "D"))).toMatchObject(approved);
    await apply({ kind: "authorization_reversal", authorizationId: "D", amount: 400 });
    expect((await spend())[0]).toBe(600);
  });
});
