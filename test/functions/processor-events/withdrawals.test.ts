import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";

describe("an ATM withdrawal", () => {
  it.each([
    ["approved", 10],
    ["declined", 10_001],
  ] as const)(
    "is %s in two round trips, on a card and a Program that the worker has not met",
    async (_, amount) => {
      const { send } = await givenNetwork();
      const { cost } = await measure(() => send({ kind: "atm_withdrawal", amount }));
      // The card, the Program's settings, its controls.
      expect(cost.calls.toSorted()).toEqual(["GetItem", "GetItem", "Query", "TransactWriteItems"]);
      expect(cost.roundTrips).toBe(2);
    },
  );
});
