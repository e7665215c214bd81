import { describe, expect, it } from "vitest";
import { limitFields, newLimit } from "../../../shared/cards/limit.ts";
import { usages } from "../../../shared/controls/usage.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { toOtherId } from "../../../shared/platform/id.ts";
import { findFaults } from "../../harness/audit-books.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

const A = "A";
const authorization = (amount: number, authorizationId = A) =>
  ({ kind: "authorization", authorizationId, amount }) as const;

async function givenLimit(amount = 1_000, window = "day", walletMinor = 10_000) {
  const given = await givenFundedCards(walletMinor);
  const { call, setCard } = given;
  await setCard(limitFields(newLimit({ amount, window }, timestamp(), { timeZone: "Etc/UTC" })));
  const view = async () => (await call("GET /cards/{cardId}/funding")).body.data;
  const spend = async () => {
    const { used, remaining, spendable } = await view();
    return [used, remaining, spendable];
  };
  return { ...given, view, spend };
}

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
