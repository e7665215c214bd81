import { describe, expect, it } from "vitest";
import { disputeTransitions } from "../../../shared/disputes/transitions.ts";
import { newId } from "../../../shared/platform/id.ts";
import { storedEntries } from "../../harness/books.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { illegal, unknown } from "./given-processor.ts";

async function givenPurchase() {
  const network = await givenNetwork();
  const { transId = "" } = await network.apply({ kind: "clearing", amount: 3_000 });
  return { ...network, transId };
}

async function givenChargeback() {
  const network = await givenPurchase();
  const { chargebackId = "" } = await network.apply({ kind: "chargeback", transId: network.transId });
  const decide = (status: 1 | 2 | 3 | 4 | 5) =>
    network.send({ kind: "chargeback_outcome", chargebackId, status });
  return { ...network, chargebackId, decide };
}

describe("a chargeback", () => {
  it("is noted (4) and credited provisionally (6), together", async () => {
    const { apply, balances, records, transId } = await givenPurchase();
    const result = await apply({ kind: "chargeback", transId });
    expect(result).toMatchObject({ amount: 3_000, chargebackId: expect.stringMatching(/^cbk_/) });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    const written = (await records()).filter(({ relatedId }) => relatedId === transId);
    expect(written).toHaveLength(2);
    expect(written.find(({ transType }) => transType === 4)).toMatchObject({ amountMinor: 0 });
    expect(written.find(({ transType }) => transType === 6)).toMatchObject({
      transId: result.transId,
      amountMinor: 3_000,
      type: "CR",
      transStatus: 3,
    });
  });

  it("of an ATM withdrawal has the codes of PIN debits: noted (42), credited provisionally (44)", async () => {
    const { apply, balances, records } = await givenNetwork();
    const { transId = "" } = await apply({ kind: "atm_withdrawal", amount: 500, feeAmount: 0 });
    await apply({ kind: "chargeback", transId });
    const written = (await records()).filter(({ relatedId }) => relatedId === transId);
    expect(written.map(({ transType, amountMinor }) => [transType, amountMinor]).toSorted()).toEqual([
      [42, 0],
      [44, 500],
    ]);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("can be of a part, or of an ATM withdrawal, but not of more", async () => {
    const { apply, send, balances, transId } = await givenPurchase();
    expect(await send({ kind: "chargeback", transId, amount: 3_001 })).toEqual(illegal);
    await apply({ kind: "chargeback", transId, amount: 1_000 });
    const cash = await apply({ kind: "atm_withdrawal", amount: 500, feeAmount: 0 });
    await apply({ kind: "chargeback", transId: cash.transId ?? "" });
    expect(await balances()).toEqual([8_000, 0, 8_000]);
  });

  it("is rejected for transactions that cannot be disputed, and the second time", async () => {
    const { apply, send, balances, transId } = await givenPurchase();
    const { transId: refund = "" } = await apply({ kind: "refund", amount: 10 });
    const { transId: hold = "" } = await apply({ kind: "authorization", authorizationId: "A", amount: 10 });
    expect(await send({ kind: "chargeback", transId: refund })).toEqual(illegal);
    expect(await send({ kind: "chargeback", transId: hold })).toEqual(illegal);
    expect(await send({ kind: "chargeback", transId: newId("transaction") })).toEqual(unknown);
    const results = await Promise.all([1, 2, 3].map(() => send({ kind: "chargeback", transId })));
    expect(results.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(await balances()).toEqual([10_000, 10, 10_010]);
  });
});

describe("the outcome of a chargeback", () => {
  it.each([
    [2, "won: the Cardholder keeps the credit, the network pays", 5, 0, [10_000, 0, 10_000]],
    [3, "lost: the credit is taken back", 7, 3_000, [7_000, 0, 7_000]],
    [4, "written off: the Cardholder keeps the credit", 9, 0, [10_000, 0, 10_000]],
    [5, "reversed: the credit is taken back", 8, 3_000, [7_000, 0, 7_000]],
  ] as const)("%i, %s", async (status, _, transType, amountMinor, after) => {
    const { decide, balances, records, transId } = await givenChargeback();
    expect(await decide(status)).toMatchObject({ outcome: "applied" });
    expect(await balances()).toEqual(after);
    const record = (await records()).find((one) => one.transType === transType);
    expect(record).toMatchObject({ amountMinor, relatedId: transId, transStatus: 3 });
    for (const again of [1, 2, 3, 4, 5] as const) expect(await decide(again)).toEqual(illegal);
    expect(await balances()).toEqual(after);
  });

  it.each([
    [1, "represented, which is noted as 42 again", 42, 0, 10_000],
    [2, "won", 43, 0, 10_000],
    [3, "lost", 45, 500, 9_500],
    [4, "written off", 47, 0, 10_000],
    [5, "reversed", 46, 500, 9_500],
  ] as const)("%i, %s: of an ATM withdrawal it is %i", async (status, _, transType, amountMinor, after) => {
    const { apply, balances, record } = await givenNetwork();
    const { transId = "" } = await apply({ kind: "atm_withdrawal", amount: 500, feeAmount: 0 });
    const { chargebackId = "" } = await apply({ kind: "chargeback", transId });
    const result = await apply({ kind: "chargeback_outcome", chargebackId, status });
    expect(await record(result.transId)).toMatchObject({ transType, amountMinor, relatedId: transId });
    expect(await balances()).toEqual([after, 0, after]);
  });

  it("1, represented: goes on, with nothing decided", async () => {
    const { decide, balances, records } = await givenChargeback();
    await decide(1);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect((await records()).some(({ transType }) => transType === 10)).toBe(true);
    expect(await decide(1)).toEqual(illegal);
    await decide(3);
    expect(await balances()).toEqual([7_000, 0, 7_000]);
  });

  it("changes the Program's reserve and the network's settlement as specified", async () => {
    const sumOf = async (status: 2 | 3 | 4 | 5) => {
      const { decide, everything } = await givenChargeback();
      await decide(status);
      // The dispute has copies of the Card's.
      const entries = storedEntries(await everything()).map(({ entry }) => [entry.entryId, entry] as const);
      const postings = [...new Map(entries).values()].flatMap((entry) => entry.postings);
      const sum = (name: string) =>
        postings
          .filter(({ account }) => account === name)
          .reduce((total, { amountMinor }) => total + amountMinor, 0);
      return { reserve: sum("program_reserve"), network: sum("network_settlement") };
    };
    expect(await sumOf(2)).toEqual({ reserve: 0, network: 0 });
    expect(await sumOf(3)).toEqual({ reserve: 0, network: 3_000 });
    expect(await sumOf(4)).toEqual({ reserve: -3_000, network: 3_000 });
    expect(await sumOf(5)).toEqual({ reserve: 0, network: 3_000 });
  });

  it("waits for its chargeback", async () => {
    const { send, apply, balances, transId } = await givenPurchase();
    const chargebackId = newId("dispute");
    const outcome = { kind: "chargeback_outcome", chargebackId, status: 3, eventId: "early" } as const;
    expect(await send(outcome)).toEqual(unknown);
    await apply({ kind: "chargeback", chargebackId, transId });
    expect(await send(outcome)).toMatchObject({ outcome: "applied" });
    expect(await balances()).toEqual([7_000, 0, 7_000]);
  });

  it("has one answer for each state and trigger", () => {
    const seen = disputeTransitions.map(({ from, trigger }) => `${from} ${trigger}`);
    expect(new Set(seen).size).toBe(seen.length);
  });
});
