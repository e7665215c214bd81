import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";

describe("a balance inquiry", () => {
  it("takes one read and one write", async () => {
    const { send } = await givenNetwork();
    const { cost } = await measure(() => send({ kind: "balance_inquiry" }));
    expect(cost.calls).toEqual(["Query", "TransactWriteItems"]);
  });
});
