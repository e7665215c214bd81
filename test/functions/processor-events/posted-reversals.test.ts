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
  it("waits for a withdrawal that the platform declined, too", async () => {
    const { apply, send, balances } = await givenNetwork({ availableMinor: 100 });
    await apply(withdrawal);
    const sent = { ...reversal, eventId: "reversal" };
    expect(await send(sent)).toEqual(unknown);
    await apply({ ...withdrawal, advice: true });
    expect(await send(sent)).toMatchObject({ outcome: "applied", amount });
    expect(await balances()).toEqual([100, 0, 100]);
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

  it("is rejected in another currency", async () => {
    const { send, balances } = await givenPosted();
    expect(await send({ ...reversal, billingCurrency: "978" })).toEqual(illegal);
    expect(await send({ ...reversal, billingCurrency: "840", amount: 500 })).toMatchObject({ amount: 500 });
    expect(await balances()).toEqual([8_500, 0, 8_500]);
  });
});
