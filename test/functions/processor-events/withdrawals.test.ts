import { describe, expect, it } from "vitest";
import { storedEntries } from "../../harness/books.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";

const listed = { entityId: expect.any(String), transStatus: 3, postDate: expect.any(String) };

describe("an ATM withdrawal", () => {
  it("and its fee are posted in one transaction: the fee is the parent, each names the other, no hold", async () => {
    const { apply, balances, record, everything } = await givenNetwork();
    const { transId, feeId } = await apply({ kind: "atm_withdrawal", amount: 4_000, feeAmount: 250 });
    expect(await record(transId)).toMatchObject({
      ...listed,
      transType: 36,
      type: "DR",
      amountMinor: 4_000,
      srcAmountMinor: 4_000,
      description: "Foreign Cash Withdrawal",
      feeId,
    });
    expect(await record(feeId)).toMatchObject({
      ...listed,
      transType: 15,
      feeType: 3,
      amountMinor: 250,
      srcAmountMinor: 0,
      description: "Foreign Cash Adv Fee",
      relatedTransId: transId,
    });
    expect(await balances()).toEqual([5_750, 0, 5_750]);
    const entries = storedEntries(await everything()).filter(({ entry }) => entry.kind !== "deposit_cleared");
    expect(entries).toHaveLength(1);
  });

  it("costs what the Program's schedule says where the event says nothing, and nothing without one", async () => {
    const { apply, balances, setProgram, records } = await givenNetwork();
    expect(await apply({ kind: "atm_withdrawal", amount: 100 })).not.toHaveProperty("feeId");
    await setProgram({
      feeSchedule: [
        { feeType: 1, amount: 11, basisPoints: 0 },
        { feeType: 3, amount: 300, basisPoints: 0 },
      ],
    });
    expect(await apply({ kind: "atm_withdrawal", amount: 100 })).toHaveProperty("feeId");
    await apply({ kind: "atm_withdrawal", amount: 100, feeAmount: 0 });
    expect(await balances()).toEqual([9_400, 0, 9_400]);
    expect((await records()).filter(({ sk }) => String(sk).startsWith("FEE#"))).toHaveLength(1);
  });

  it("never takes more than there is when many are made at once, beside authorizations", async () => {
    const { send, balances } = await givenNetwork({ availableMinor: 1_000 });
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 === 0
          ? send({ kind: "atm_withdrawal", amount: 290, feeAmount: 10 })
          : send({ kind: "authorization", authorizationId: `A${n}`, amount: 300 }),
      ),
    );
    expect(results.filter((result) => result.outcome === "applied" && result.approved)).toHaveLength(3);
    const [available] = await balances();
    expect(available).toBe(100);
  });

  it.each([
    ["approved", 10],
    ["declined", 10_001],
  ] as const)(
    "is %s in two round trips, on a card and a Program that the worker has not met",
    async (_, amount) => {
      const { send } = await givenNetwork();
      const { cost } = await measure(() => send({ kind: "atm_withdrawal", amount }));
      // The card, the Program's settings, its controls.
      expect(cost.calls.toSorted()).toEqual(["GetItem", "GetItem", "Query", "TransactWriteItems"]);
      expect(cost.roundTrips).toBe(2);
    },
  );
});
