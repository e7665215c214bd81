import { it } from "vitest";
import { proveBankMoney } from "../../harness/bank-model/run-sequence.ts";

it("bank money moves as the reference model says, whatever comes, how often, and in whichever order", async () => {
  await proveBankMoney({ sequences: 8, lanes: 2, seed: Date.now() % 1_000_000_000 });
}, 240_000);
