import { describe, expect, it } from "vitest";
import { interrupt } from "../../harness/faults.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { A, expectSameBalances, lifeOfAHold } from "./given-hold-events.ts";

async function givenHold(amount = 1_000): Promise<Network> {
  const network = await givenNetwork();
  await network.apply({ kind: "authorization", authorizationId: A, amount });
  return network;
}

describe("a reversal, an advice or an increment", () => {
  const kind = "authorization_reversal";

  it("is declined where the reversal of that increment came first, or comes at the same moment", async () => {
    const reversal = { kind, authorizationId: "increment" } as const;
    const increment = { kind: "authorization_incremental", authorizationId: A, amount: 5 } as const;
    const declined = { approved: false, declineReason: "AUTHORIZATION_FINISHED" };
    const [early, racing] = [await givenHold(), await givenHold()];
    await early.apply(reversal);
    expect(await early.apply({ ...increment, incrementId: "increment" })).toMatchObject(declined);
    using _ = interrupt(
      (command) => command === "TransactWriteItems",
      () => racing.apply(reversal),
    );
    expect(await racing.apply({ ...increment, incrementId: "increment" })).toMatchObject(declined);
    expect(await racing.balances()).toEqual([9_000, 1_000, 10_000]);
  });
});

describe("a clearing", () => {
  const kind = "clearing";
  const clear = (amount: number, final = true) => ({ kind, authorizationId: A, amount, final }) as const;

  it("costs one transaction after one round of reads", async () => {
    const { send } = await givenHold();
    const { cost } = await measure(() => send(clear(10)));
    expect(cost.calls.filter((call) => call === "TransactWriteItems")).toHaveLength(1);
    expect(cost.roundTrips).toBe(2);
  });
});

describe("events of one authorization in any order", () => {
  it("end in the same balances", () => expectSameBalances(5));

  it("end in the same balances when all come at once", async () => {
    const events = lifeOfAHold.slice(0, 6).filter(({ kind }) => kind !== "authorization_incremental");
    for (let round = 0; round < 5; round += 1) {
      const network = await givenNetwork();
      await Promise.all(events.map((event) => network.send(event)));
      expect(await network.cardBalances()).toEqual([9_350, 0, 9_350]);
    }
  });
});
