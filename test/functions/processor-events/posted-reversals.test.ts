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

  it("has the merchant of the authorization, and its first answer again", async () => {
    const { apply, send, record } = await givenNetwork();
    await apply({ kind: "authorization", authorizationId: A, amount, merchantName: "Corner Shop" });
    await apply(posting);
    const { transId } = await apply({ ...reversal, amount: 500, eventId: "part" });
    expect(await send({ ...reversal, amount: 500, eventId: "part" })).toMatchObject({ transId });
    expect((await record(transId))?.description).toBe("Purchase reversal: Corner Shop");
  });

  it("is rejected in another currency", async () => {
    const { send, balances } = await givenPosted();
    expect(await send({ ...reversal, billingCurrency: "978" })).toEqual(illegal);
    expect(await send({ ...reversal, billingCurrency: "840", amount: 500 })).toMatchObject({ amount: 500 });
    expect(await balances()).toEqual([8_500, 0, 8_500]);
  });
});
