import { afterEach, describe, expect, it, vi } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { limitFields, newLimit } from "../../../shared/cards/limit.ts";
import { timeZoneWrite } from "../../../shared/controls/commit-control.ts";
import { usages } from "../../../shared/controls/usage.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { toOtherId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { findFaults } from "../../harness/audit-books.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { setProgramSettings } from "../../harness/given-network.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
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

/** As the Program's settings do. */
const setTimeZone = async (programId: string, timeZone: string) => {
  await setProgramSettings(programId, { timeZone });
  await transact([await timeZoneWrite(programId, timeZone)]);
};

const setTime = (iso: string) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(new Date(iso));
};

describe("a spend limit", () => {
  it("declines what is above it before the Wallet is asked, and says so", async () => {
    const { apply, spend, call } = await givenLimit(1_000, "day", 600);
    expect(await apply(authorization(1_001))).toMatchObject(above);
    expect(await apply(authorization(601, "B"))).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    expect(await apply(authorization(600, "C"))).toMatchObject(approved);
    expect(await spend()).toEqual([600, 400, 0]);
    const declined = await call("GET /authorizations/{authorizationId}", { path: { authorizationId: A } });
    expect(declined.body.data).toMatchObject({ declineReason: "SPEND_LIMIT" });
    expect(declined.body.data.declineMessage).toMatch(/limit allows 10\.00 \S+ a day, of which 0\.00/);
  });

  it("comes after status and blocks, and before controls", async () => {
    const { apply, setCard, programId, cardId } = await givenLimit(100);
    const network = { programId, cardId, cardholderId: "" } as never;
    await givenActiveControls(network, [{ owner: "program", rules: { currencies: { block: ["840"] } } }]);
    expect(await apply(authorization(101))).toMatchObject(above);
    expect(await apply(authorization(100, "B"))).toMatchObject({ declineReason: "CONTROL_DECLINED" });
    await setCard({ issuerCardStatus: 2 });
    expect(await apply(authorization(101, "C"))).toMatchObject({ declineReason: "CARD_ON_HOLD" });
  });

  it("is the lesser of two in what may be spent, at the till and in a partial approval", async () => {
    const { apply, call, setProgram, spend } = await givenLimit(700);
    await setProgram({ partialApproval: true });
    const inquiry = await apply({ kind: "balance_inquiry" });
    expect(inquiry).toMatchObject({ availableBalance: 700, ledgerBalance: 700 });
    const part = { ...authorization(1_000), partialApprovalSupported: true, withBalances: true };
    expect(await apply({ ...part, amount: 500 })).toMatchObject({
      availableBalance: 200,
      ledgerBalance: 700,
    });
    expect(await apply({ ...part, authorizationId: "B" })).toMatchObject({
      ...{ approved: true, amount: 200, availableBalance: 0, ledgerBalance: 700 },
    });
    expect(await apply({ ...part, authorizationId: "C" })).toMatchObject(above);
    expect(await spend()).toEqual([700, 0, 0]);
    expect((await call("GET /cards/{cardId}/balance")).body.data).toMatchObject({
      ...{ availableBalance: 9_300, spendable: 0, held: 700 },
    });
  });

  it("approves in part up to what the Wallet has, where that is less", async () => {
    const { apply, setProgram } = await givenLimit(700, "day", 300);
    await setProgram({ partialApproval: true });
    expect(await apply({ ...authorization(1_000), partialApprovalSupported: true })).toMatchObject({
      ...{ approved: true, amount: 300 },
    });
  });

  it("counts a hold, what clears it, and gives back what is reversed, expires or is settled for less", async () => {
    const { apply, spend } = await givenLimit();
    await apply(authorization(600));
    expect(await apply(authorization(401, "B"))).toMatchObject(above);
    await apply({ kind: "authorization_incremental", authorizationId: A, amount: 300 });
    expect(await apply({ kind: "authorization_incremental", authorizationId: A, amount: 101 })).toMatchObject(
      above,
    );
    await apply({ kind: "authorization_reversal", authorizationId: A, amount: 200 });
    expect((await spend())[0]).toBe(700);
    await apply({ kind: "clearing", authorizationId: A, amount: 650, final: true });
    expect((await spend())[0]).toBe(650);
    await apply(authorization(300, "C"));
    await apply({ kind: "authorization_reversal", authorizationId: "C" });
    await apply(authorization(200, "D"));
    await apply({ kind: "authorization_expiry", authorizationId: "D" });
    expect((await spend())[0]).toBe(650);
  });

  it("counts cash without its fee, an advice and a force post, which it never declines", async () => {
    const { apply, spend } = await givenLimit();
    expect(await apply({ kind: "atm_withdrawal", amount: 1_001, feeAmount: 1 })).toMatchObject(above);
    await apply({ kind: "atm_withdrawal", amount: 400, feeAmount: 700 });
    expect((await spend())[0]).toBe(400);
    await apply({ kind: "authorization_advice", authorizationId: A, amount: 500 });
    await apply({ kind: "clearing", amount: 300, final: true });
    expect(await spend()).toEqual([1_200, 0, 0]);
    expect(await apply(authorization(1, "B"))).toMatchObject(above);
  });

  it("of one authorization, counts nothing, and each alone with its increments", async () => {
    const { apply, spend } = await givenLimit(500, "authorization");
    expect(await apply(authorization(501))).toMatchObject(above);
    await apply(authorization(500, "B"));
    expect(await apply(authorization(400, "C"))).toMatchObject(approved);
    expect(
      await apply({ kind: "authorization_incremental", authorizationId: "C", amount: 101 }),
    ).toMatchObject(above);
    expect(await spend()).toEqual([0, 500, 500]);
  });

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
  it("is the Program's day, also as long as the clocks make it", async () => {
    const { apply, spend, programId } = await givenLimit(1_000, "day");
    await setTimeZone(programId, "Europe/Berlin");
    // The night in which clocks go back: this day has 25 hours.
    setTime("2026-10-24T22:30:00.000Z");
    await apply(authorization(900));
    setTime("2026-10-25T22:59:59.000Z");
    expect(await apply(authorization(200, "B"))).toMatchObject(above);
    setTime("2026-10-25T23:00:00.000Z");
    expect(await spend()).toEqual([0, 1_000, 1_000]);
    expect(await apply(authorization(200, "C"))).toMatchObject(approved);
    // What clears later counts in the day of its authorization.
    await apply({ kind: "clearing", authorizationId: A, amount: 950, final: true });
    expect((await spend())[0]).toBe(200);
  });

  it("is of the days that its Program has by now, whatever it was set with", async () => {
    setTime("2026-07-01T10:00:00.000Z");
    const { apply, spend, programId } = await givenLimit(1_000, "day");
    await apply(authorization(900));
    await setTimeZone(programId, "Asia/Tokyo");
    setTime("2026-07-02T00:00:00.000Z");
    await apply(authorization(400, "B"));
    // The day that had begun has ended as it began to. The next one ends in Tokyo.
    setTime("2026-07-02T14:59:59.000Z");
    expect((await spend())[0]).toBe(400);
    expect(await apply(authorization(601, "C"))).toMatchObject(above);
    setTime("2026-07-02T15:00:00.000Z");
    expect((await spend())[0]).toBe(0);
  });

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

  it("rolls with a duration", async () => {
    setTime("2026-07-01T10:00:00.000Z");
    const { apply, spend } = await givenLimit(1_000, "PT1H");
    await apply(authorization(900));
    setTime("2026-07-01T10:59:00.000Z");
    expect((await spend())[0]).toBe(900);
    setTime("2026-07-01T11:01:00.000Z");
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

  it("counts on where the limit is lowered or raised, and anew where the window is another", async () => {
    const { apply, limit, spend, view, put } = await givenLimit(1_000, "PT60M");
    await apply(authorization(600));
    await limit(500, "PT1H");
    expect(await spend()).toEqual([600, 0, 0]);
    expect(await apply(authorization(1, "B"))).toMatchObject(above);
    await limit(700, "PT60M");
    expect(await apply(authorization(100, "C"))).toMatchObject(approved);
    await limit(700, "day");
    expect(await spend()).toEqual([0, 700, 700]);
    await put({ spendLimit: null });
    expect(await view()).not.toHaveProperty("used");
    expect(await apply(authorization(900, "D"))).toMatchObject(approved);
    // What was counted for a limit that is gone is given back to none.
    await limit(700, "day");
    await apply({ kind: "authorization_reversal", authorizationId: A });
    expect(await spend()).toEqual([0, 700, 700]);
  });
});

describe("a Card with a spend limit", () => {
  it("keeps it with another Wallet, where what it holds on the first one counts", async () => {
    const { apply, put, spend, programId, balances } = await givenLimit();
    await apply(authorization(600));
    const fundingWalletId = await givenStoredWallet(programId, 5_000);
    expect(await put({ fundingWalletId })).toMatchObject({ spendLimit: { amount: 1_000, window: "day" } });
    expect(await spend()).toEqual([600, 400, 400]);
    await apply({ kind: "clearing", authorizationId: A, amount: 700, final: true });
    expect(await spend()).toEqual([700, 300, 300]);
    expect(await balances()).toEqual([9_300, 0, 9_300]);
  });

  it("has none any more once it has money of its own", async () => {
    const { apply, call, put, walletId } = await givenLimit(100);
    const path = "PUT /cards/{cardId}/funding" as const;
    const refused = await call(path, {
      body: { fundingWalletId: null, spendLimit: { amount: 1, window: "day" } },
    });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "body.spendLimit" }] } });
    await put({ fundingWalletId: null });
    await put({ fundingWalletId: walletId });
    expect(await apply(authorization(101))).toMatchObject(approved);
  });

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

  it("keeps it with a replaced plastic", async () => {
    const { apply, spend, setCard } = await givenLimit();
    await apply(authorization(600));
    await setCard({ plasticId: "pls_2", numberId: "pls_2", lastFour: "4321", plasticCount: 2 } as never);
    expect(await apply(authorization(401, "B"))).toMatchObject(above);
    await apply({ kind: "authorization_reversal", authorizationId: A });
    expect((await spend())[0]).toBe(0);
  });
});
