import { describe, expect, it } from "vitest";
import { disputeTransitions } from "../../../shared/disputes/transitions.ts";
import { storedEntries } from "../../harness/books.ts";
import { givenNetwork } from "../../harness/given-network.ts";

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

describe("the outcome of a chargeback", () => {
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

  it("has one answer for each state and trigger", () => {
    const seen = disputeTransitions.map(({ from, trigger }) => `${from} ${trigger}`);
    expect(new Set(seen).size).toBe(seen.length);
  });
});
