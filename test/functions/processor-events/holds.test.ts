import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { expectSameBalances, lifeOfAHold } from "./given-hold-events.ts";

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
