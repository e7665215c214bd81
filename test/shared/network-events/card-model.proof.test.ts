import { describe, it } from "vitest";
import { proveCards } from "../../harness/card-model/run-sequence.ts";

describe("a card, through any sequence of events of its network", () => {
  it("shows after each step what the reference model says: balances, identities and both lists", async () => {
    await proveCards({ sequences: 6, lanes: 3, seed: Date.now() % 1_000_000_000 });
  }, 240_000);
});
