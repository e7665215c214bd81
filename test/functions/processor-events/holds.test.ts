import { describe, expect, it } from "vitest";
import { holds } from "../../../shared/authorizations/holds/hold.ts";
import { interrupt } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";
import { A, expectSameBalances, lifeOfAHold } from "./given-hold-events.ts";

async function givenHold(amount = 1_000): Promise<Network> {
  const network = await givenNetwork();
  await network.apply({ kind: "authorization", authorizationId: A, amount });
  return network;
}

const increment = { kind: "authorization_incremental", authorizationId: A, amount: 5 } as const;

describe("a reversal or an increment", () => {
  it("waits where it names what comes at the same moment, and then is of that increment", async () => {
    const network = await givenHold();
    const reversal = {
      kind: "authorization_reversal",
      authorizationId: "other",
      originalEventId: "i",
    } as const;
    using _ = interrupt(
      (command) => command === "TransactWriteItems",
      () => network.apply({ ...increment, eventId: "i" }),
    );
    expect(await network.send(reversal)).toEqual({ outcome: "refused", code: "NOT_FOUND" });
    expect(await network.apply(reversal)).toMatchObject({ authorizationId: A, amount: 5 });
    expect(await network.balances()).toEqual([9_000, 1_000, 10_000]);
  });

  it("is declined where its authorization has as many increments as it may", async () => {
    const network = await givenHold();
    await overwrite(holds.key(network.programId, A), { increments: 999 });
    expect(await network.apply(increment)).toMatchObject({ approved: true });
    const declined = { approved: false, declineReason: "AUTHORIZATION_FULL" };
    expect(await network.apply(increment)).toMatchObject(declined);
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
