import { describe, expect, it } from "vitest";
import { CardStatus } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { illegal, unknown } from "./given-processor.ts";

const listed = { entityId: expect.any(String), transStatus: 3, postDate: expect.any(String) };

describe("a refund", () => {
  it("is credited, on a closed card too", async () => {
    const { apply, balances, record, setStatus } = await givenNetwork();
    const { transId } = await apply({ kind: "refund", amount: 250, merchantName: "Shop" });
    expect(await record(transId)).toMatchObject({
      ...listed,
      transType: 54,
      type: "CR",
      amountMinor: 250,
      description: "Shop",
    });
    await setStatus(3);
    await apply({ kind: "refund", amount: 50 });
    expect(await balances()).toEqual([10_300, 0, 10_300]);
  });

  it("is reversed in full, once, even into a negative balance", async () => {
    const { apply, send, balances, record } = await givenNetwork({ availableMinor: 0 });
    const { transId } = await apply({ kind: "refund", amount: 250, srcAmount: 200, srcCurrency: "978" });
    await apply({ kind: "clearing", amount: 250 });
    const reversal = await apply({ kind: "refund_reversal", transId: transId ?? "" });
    expect(await record(reversal.transId)).toMatchObject({
      ...listed,
      transType: 84,
      type: "DR",
      amountMinor: 250,
      srcAmountMinor: 200,
      srcCurrency: "978",
      relatedId: transId,
    });
    expect(await balances()).toEqual([-250, 0, -250]);
    expect(await send({ kind: "refund_reversal", transId: transId ?? "" })).toEqual(illegal);
    expect(await balances()).toEqual([-250, 0, -250]);
  });

  it("is the only transaction that a refund reversal accepts", async () => {
    const { apply, send, balances } = await givenNetwork();
    const { transId } = await apply({ kind: "clearing", amount: 100 });
    expect(await send({ kind: "refund_reversal", transId: transId ?? "" })).toEqual(illegal);
    expect(await send({ kind: "refund_reversal", transId: newId("transaction") })).toEqual(unknown);
    expect(await balances()).toEqual([9_900, 0, 9_900]);
  });

  it("is reversed once by two reversals that race", async () => {
    const { apply, send, balances } = await givenNetwork();
    const { transId } = await apply({ kind: "refund", amount: 100 });
    const results = await Promise.all(
      [1, 2, 3].map(() => send({ kind: "refund_reversal", transId: transId ?? "" })),
    );
    expect(results.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
});

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

  it("never fails for lack of money, and hits a closed card", async () => {
    const { apply, balances, setStatus } = await givenNetwork({ availableMinor: 0 });
    await setStatus(3);
    await apply({ kind: "fee", feeType: 5, amount: 1, description: "Replacement" });
    expect(await balances()).toEqual([-1, 0, -1]);
  });

  it("is reversed in full, once, by a transaction", async () => {
    const { apply, send, balances, record } = await givenNetwork();
    const { feeId = "" } = await apply({ kind: "fee", feeType: 2, amount: 300 });
    const { transId } = await apply({ kind: "fee_reversal", feeId });
    expect(await record(transId)).toMatchObject({
      ...listed,
      transType: 17,
      type: "CR",
      amountMinor: 300,
      relatedId: feeId,
    });
    expect(await send({ kind: "fee_reversal", feeId })).toEqual(illegal);
    expect(await send({ kind: "fee_reversal", feeId: newId("fee") })).toEqual(unknown);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
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

  it("is declined for a Card that cannot be used", async () => {
    const { apply } = await givenNetwork({ status: CardStatus.onHold });
    const answer = await apply({ kind: "balance_inquiry" });
    expect(answer).toMatchObject({ approved: false, declineReason: "CARD_ON_HOLD" });
    expect(answer).not.toHaveProperty("ledgerBalance");
  });

  it("takes one read and one write", async () => {
    const { send } = await givenNetwork();
    const { cost } = await measure(() => send({ kind: "balance_inquiry" }));
    expect(cost.calls).toEqual(["GetItem", "TransactWriteItems"]);
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
