import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { A } from "./given-hold-events.ts";
import { illegal, unknown } from "./given-processor.ts";

const amount = 2_000;
const posting = { kind: "clearing", authorizationId: A, amount } as const;
const reversal = { kind: "authorization_reversal", authorizationId: A, ofPosted: true } as const;
const withdrawal = { kind: "atm_withdrawal", authorizationId: A, amount, feeAmount: 0 } as const;

async function givenPosted() {
  const network = await givenNetwork();
  const { transId = "" } = await network.apply(posting);
  return { ...network, transId };
}

describe("a reversal of a posted purchase", () => {
  it.each([
    ["declined", [{ kind: "authorization", authorizationId: A, amount: 20_000 }]],
    [
      "expired",
      [
        { kind: "authorization", authorizationId: A, amount },
        { kind: "authorization_expiry", authorizationId: A },
      ],
    ],
  ] as const)("waits for the posting where the platform has %s the authorization", async (_, events) => {
    const { apply, send, balances } = await givenNetwork();
    for (const event of events) await apply(event);
    const sent = { ...reversal, eventId: "reversal" };
    expect(await send(sent)).toEqual(unknown);
    await apply(posting);
    expect(await send(sent)).toMatchObject({ outcome: "applied", amount });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("waits for a withdrawal that the platform declined, too", async () => {
    const { apply, send, balances } = await givenNetwork({ availableMinor: 100 });
    await apply(withdrawal);
    const sent = { ...reversal, eventId: "reversal" };
    expect(await send(sent)).toEqual(unknown);
    await apply({ ...withdrawal, advice: true });
    expect(await send(sent)).toMatchObject({ outcome: "applied", amount });
    expect(await balances()).toEqual([100, 0, 100]);
  });

  it("does not wait if a reversal has finished the authorization", async () => {
    const { apply, send } = await givenNetwork();
    await apply({ kind: "authorization", authorizationId: A, amount });
    await apply({ kind: "authorization_reversal", authorizationId: A });
    expect(await send(reversal)).toEqual(illegal);
    expect(await send({ ...reversal, mayBeDone: true })).toMatchObject({ outcome: "applied", amount: 0 });
  });

  it("refunds parts, and no more than was posted, with the merchant of the authorization", async () => {
    const { apply, send, balances, record } = await givenNetwork();
    await apply({ kind: "authorization", authorizationId: A, amount, merchantName: "Corner Shop" });
    await apply(posting);
    const { transId } = await apply({ ...reversal, amount: 500, eventId: "part" });
    expect(await send({ ...reversal, amount: 500, eventId: "part" })).toMatchObject({ transId });
    expect(await record(transId)).toMatchObject({
      transType: 54,
      transStatus: 3,
      amountMinor: 500,
      description: "Purchase reversal: Corner Shop",
    });
    expect(await send({ ...reversal, amount: 1_501 })).toEqual(illegal);
    expect(await send({ ...reversal, amount: 600, total: true })).toMatchObject({ amount: 900 });
    expect(await send({ ...reversal })).toMatchObject({ amount: 600 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    for (const again of [{}, { amount: 1 }, { amount: 1, total: true }])
      expect(await send({ ...reversal, ...again })).toEqual(illegal);
    expect(await send({ ...reversal, mayBeDone: true })).toMatchObject({ outcome: "applied", amount: 0 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("refunds once of two at the same moment", async () => {
    const { send, balances } = await givenPosted();
    const both = await Promise.all([1, 2].map(() => send({ ...reversal, amount })));
    expect(both.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(both).toContainEqual(illegal);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is rejected for what is disputed, and what was refunded is not disputed", async () => {
    const disputed = await givenPosted();
    await disputed.apply({ kind: "chargeback", transId: disputed.transId });
    expect(await disputed.send(reversal)).toEqual(illegal);
    expect(await disputed.balances()).toEqual([10_000, 0, 10_000]);
    const refunded = await givenPosted();
    await refunded.apply({ ...reversal, amount: 500 });
    const { transId } = refunded;
    expect(await refunded.send({ kind: "chargeback", transId, amount: 1_501 })).toEqual(illegal);
    await refunded.apply({ kind: "chargeback", transId, amount: 900 });
    expect(await refunded.send({ ...reversal, amount: 601 })).toEqual(illegal);
    await refunded.apply({ ...reversal, amount: 600 });
    expect(await refunded.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is refunded after each of several settlements, as far as they are not disputed", async () => {
    const { apply, send, balances } = await givenPosted();
    await apply(reversal);
    const { transId = "" } = await apply({ ...posting, amount: 700 });
    await apply({ kind: "chargeback", transId });
    expect(await send(reversal)).toEqual(illegal);
    await apply({ ...posting, amount: 300 });
    expect(await send({ ...reversal, amount: 301 })).toEqual(illegal);
    await apply({ ...reversal, amount: 300 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("can be reversed; its amount can then be disputed or given back again", async () => {
    const { apply, send, balances, transId: first } = await givenPosted();
    const { transId: second = "" } = await apply({ ...posting, amount: 700 });
    const { transId: refund = "" } = await apply({ ...reversal, amount: 1_000 });
    const undo = { kind: "refund_reversal", transId: refund } as const;
    const both = await Promise.all([1, 2].map(() => send(undo)));
    expect(both.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(both).toContainEqual(illegal);
    expect(await balances()).toEqual([7_300, 0, 7_300]);
    await apply({ kind: "chargeback", transId: second, amount: 700 });
    expect(await send({ ...reversal, amount: 2_001 })).toEqual(illegal);
    await apply({ ...reversal, amount: 1_500 });
    await apply({ kind: "chargeback", transId: first, amount: 500 });
    expect(await send({ ...reversal, amount: 1 })).toEqual(illegal);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("can be reversed while another reversal comes", async () => {
    const { apply, send, balances } = await givenPosted();
    const { transId: refund = "" } = await apply({ ...reversal, amount: 1_500 });
    const undo = { kind: "refund_reversal", transId: refund } as const;
    const both = await Promise.all([send(undo), send({ ...reversal, amount: 500 })]);
    expect(both).toMatchObject([{ outcome: "applied" }, { outcome: "applied" }]);
    await apply({ ...reversal, amount: 1_500 });
    expect(await send({ ...reversal, amount: 1 })).toEqual(illegal);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is rejected in another currency", async () => {
    const { send, balances } = await givenPosted();
    expect(await send({ ...reversal, billingCurrency: "978" })).toEqual(illegal);
    expect(await send({ ...reversal, billingCurrency: "840", amount: 500 })).toMatchObject({ amount: 500 });
    expect(await balances()).toEqual([8_500, 0, 8_500]);
  });
});
