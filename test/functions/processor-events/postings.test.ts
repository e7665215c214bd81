import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";

const listed = { entityId: expect.any(String), transStatus: 3, postDate: expect.any(String) };

describe("a fee", () => {
  it.each([1, 2, 3, 4, 5] as const)(
    "of type %i reduces both balances and is no transaction",
    async (feeType) => {
      const { apply, balances, record, records } = await givenNetwork();
      const { feeId } = await apply({ kind: "fee", feeType, amount: 300 });
      // What is charged for cash has no merchant's amount, whichever event brings it.
      const srcAmountMinor = feeType === 3 ? 0 : 300;
      const fee = { transType: 15, feeType, amountMinor: 300, srcAmountMinor };
      expect(await record(feeId)).toMatchObject({ ...listed, ...fee });
      expect(await balances()).toEqual([9_700, 0, 9_700]);
      expect((await records()).map(({ transType }) => transType).toSorted()).toEqual([15, 18]);
    },
  );
});

describe("a balance inquiry", () => {
  it("is recorded (85, amount 0), moves nothing, and is answered what there is", async () => {
    const { apply, balances, record } = await givenNetwork();
    await apply({ kind: "authorization", authorizationId: "A", amount: 1_500 });
    const inquiry = { kind: "balance_inquiry", merchantName: "ATM 12", eventId: "ask" } as const;
    const first = await apply(inquiry);
    expect(first).toMatchObject({ availableBalance: 8_500, ledgerBalance: 10_000, currency: 0 });
    expect(await record(first.transId)).toMatchObject({ ...listed, transType: 85, amountMinor: 0 });
    await apply({ kind: "refund", amount: 1 });
    expect(await apply(inquiry)).toEqual(first);
    expect(await balances()).toEqual([8_501, 1_500, 10_001]);
  });

  it("takes one read and one write", async () => {
    const { send } = await givenNetwork();
    const { cost } = await measure(() => send({ kind: "balance_inquiry" }));
    expect(cost.calls).toEqual(["Query", "TransactWriteItems"]);
  });
});

describe("a settlement in another currency", () => {
  it("debits the card's currency and shows the billed amount", async () => {
    const { apply, balances, record } = await givenNetwork();
    const billed = { srcAmount: 12_345, srcCurrency: "978" };
    const { transId } = await apply({ kind: "clearing", amount: 1_000, ...billed, mcc: "5812" });
    expect(await record(transId)).toMatchObject({
      amountMinor: 1_000,
      srcAmountMinor: 12_345,
      srcCurrency: "978",
      mcc: "5812",
    });
    expect(await balances()).toEqual([9_000, 0, 9_000]);
  });

  it("under Dynamic Currency Conversion shows the card's currency and the amount itself", async () => {
    const { apply, record } = await givenNetwork();
    const { transId } = await apply({ kind: "clearing", amount: 1_000, srcAmount: 950, srcCurrency: "840" });
    expect(await record(transId)).toMatchObject({ srcAmountMinor: 1_000, srcCurrency: "840" });
  });

  it("keeps the network's reference, or has its own id as one", async () => {
    const { apply, record } = await givenNetwork();
    const given = await apply({ kind: "clearing", amount: 1, referenceCode: "REF-1" });
    expect(await record(given.transId)).toMatchObject({ referenceCode: "REF-1" });
    const made = await apply({ kind: "clearing", amount: 1 });
    expect(await record(made.transId)).toMatchObject({ referenceCode: made.transId });
  });

  it("is dated by the network, and posted now", async () => {
    const { apply, record } = await givenNetwork();
    const occurredAt = "2026-01-02T03:04:05.678Z";
    const { transId } = await apply({ kind: "clearing", amount: 1, occurredAt });
    const written = await record(transId);
    expect(written?.transDate).toBe(occurredAt);
    expect(Math.abs(Date.parse(String(written?.postDate)) - Date.now())).toBeLessThan(60_000);
  });
});
