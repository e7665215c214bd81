import { describe, expect, it } from "vitest";
import { parseNotification } from "../../../shared/notifications/notification.ts";
import { newId } from "../../../shared/platform/id.ts";
import { storedEntries } from "../../harness/books.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { eventsIn } from "../../harness/stored.ts";
import { unknown } from "./given-processor.ts";

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

  it("that is declined is recorded (77, status 4), moves nothing and sends nothing", async () => {
    const { apply, balances, record, everything } = await givenNetwork({ availableMinor: 100 });
    const result = await apply({ kind: "atm_withdrawal", amount: 101, merchantName: "ATM 12" });
    expect(result).toEqual({
      outcome: "applied",
      approved: false,
      declineReason: "INSUFFICIENT_FUNDS",
      amount: 0,
      transId: expect.stringMatching(/^txn_/),
    });
    expect(await record(result.transId)).toMatchObject({
      transType: 77,
      transStatus: 4,
      amountMinor: 101,
      merchantName: "ATM 12",
      declineReason: "INSUFFICIENT_FUNDS",
      entityId: result.transId,
    });
    expect(await balances()).toEqual([100, 0, 100]);
    const items = await everything();
    expect(items.filter(parseNotification)).toEqual([]);
    const kinds = eventsIn(items).map(({ kind }) => kind);
    expect(kinds).toContain("authorization.declined");
    expect(kinds).not.toContain("transaction.posted");
  });

  it.each([
    [0, "CARD_PENDING"],
    [2, "CARD_ON_HOLD"],
    [3, "CARD_CLOSED"],
    [4, "CARD_NOT_ACTIVATED"],
  ] as const)("on a card with status %i is declined as %s, an advice is posted", async (status, reason) => {
    const { apply, balances, setStatus } = await givenNetwork();
    await setStatus(status);
    const result = await apply({ kind: "atm_withdrawal", amount: 100, feeAmount: 5 });
    expect(result).toMatchObject({ approved: false, declineReason: reason });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    await apply({ kind: "atm_withdrawal", amount: 100, feeAmount: 5, advice: true });
    expect(await balances()).toEqual([9_895, 0, 9_895]);
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
      expect(cost.calls.toSorted()).toEqual(["GetItem", "GetItem", "GetItem", "TransactWriteItems"]);
      expect(cost.roundTrips).toBe(2);
    },
  );

  it("on a card that does not exist is not found, and can come again", async () => {
    const { send, everything } = await givenNetwork();
    const before = await everything();
    expect(await send({ kind: "atm_withdrawal", amount: 1, cardId: newId("card") })).toEqual(unknown);
    expect(await everything()).toEqual(before);
  });
});
