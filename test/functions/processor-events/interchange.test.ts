import { describe, expect, it } from "vitest";
import { storedEntries } from "../../harness/books.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";

/** Sums of all postings to the Program's accounts. */
async function booked({ everything }: Network) {
  const postings = storedEntries(await everything()).flatMap(({ entry }) => entry.postings);
  const sum = (name: string) =>
    postings
      .filter(({ account }) => account === name)
      .reduce((total, { amountMinor }) => total + amountMinor, 0);
  return { network: sum("network_settlement"), interchange: sum("interchange_income") };
}

describe("interchange", () => {
  it("of a purchase is earned from the network, in the purchase's entry", async () => {
    const network = await givenNetwork();
    await network.apply({ kind: "authorization", authorizationId: "A", amount: 3_000 });
    const cleared = { kind: "clearing", authorizationId: "A", amount: 2_000, interchange: 30 } as const;
    const { transId } = await network.apply(cleared);
    expect(await network.balances()).toEqual([8_000, 0, 8_000]);
    expect(await network.record(transId)).toMatchObject({ amountMinor: 2_000, interchangeMinor: 30 });
    expect(await booked(network)).toEqual({ network: 1_970, interchange: 30 });
  });

  it("is given back with a refund, and earned again as the refund is reversed", async () => {
    const network = await givenNetwork();
    const { transId = "" } = await network.apply({ kind: "refund", amount: 500, interchange: -8 });
    expect(await booked(network)).toEqual({ network: -492, interchange: -8 });
    await network.apply({ kind: "refund_reversal", transId });
    expect(await booked(network)).toEqual({ network: 0, interchange: 0 });
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("can be all that is settled, and more", async () => {
    const network = await givenNetwork();
    await network.apply({ kind: "clearing", amount: 100, interchange: 100 });
    expect(await booked(network)).toEqual({ network: 0, interchange: 100 });
    await network.apply({ kind: "clearing", amount: 100, interchange: 101 });
    expect(await booked(network)).toEqual({ network: -1, interchange: 201 });
  });

  it("of cash is paid, also with a clearing of the same amount, which is then listed", async () => {
    const network = await givenNetwork();
    const cash = { kind: "atm_withdrawal", authorizationId: "C", amount: 1_000, feeAmount: 200 } as const;
    await network.apply(cash);
    const clearing = { kind: "clearing", authorizationId: "C", amount: 1_000 } as const;
    const { transId } = await network.apply({ ...clearing, interchange: -45 });
    expect(await network.record(transId)).toMatchObject({ amountMinor: 0, entityId: transId });
    expect(await booked(network)).toEqual({ network: 1_045, interchange: -45 });
    expect(await network.balances()).toEqual([8_800, 0, 8_800]);
  });

  it("of a reversal of what was posted is as the reversal says", async () => {
    const network = await givenNetwork();
    await network.apply({ kind: "clearing", authorizationId: "P", amount: 700, interchange: 9 });
    const reversal = { kind: "authorization_reversal", authorizationId: "P", ofPosted: true } as const;
    await network.apply({ ...reversal, interchange: -9 });
    expect(await booked(network)).toEqual({ network: 0, interchange: 0 });
  });

  it("is absent where the network tells none", async () => {
    const network = await givenNetwork();
    const { transId } = await network.apply({ kind: "clearing", amount: 100 });
    expect(await network.record(transId)).not.toHaveProperty("interchangeMinor");
    expect(await booked(network)).toEqual({ network: 100, interchange: 0 });
  });
});
