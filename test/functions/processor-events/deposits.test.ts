import { describe, expect, it } from "vitest";
import { DepositStatus } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenProcessor } from "./given-processor.ts";

/** What becomes of a deposit is in deposit-rules.txt. */
describe("processor events of deposits", () => {
  it.each([
    ["clearings and reversals", ["cleared", "reversed"]],
    ["clearings and returns", ["cleared", "returned"]],
  ] as const)("move nothing twice when %s race", async (_, kinds) => {
    for (let round = 0; round < 3; round += 1) {
      const { programId, wallet, ...events } = await givenProcessor();
      const depositId = newId("deposit");
      await events.send(events.pending(depositId));
      const all = Array.from({ length: 10 }, (_each, index) =>
        events[kinds[(index % 2) as 0 | 1]](depositId),
      );
      await Promise.all(all.map((event) => events.send(event)));
      const { ledgerMinor, pendingDepositMinor } = balancesIn(await expectBooksInOrder(programId), wallet);
      const status = (await deposits.at(programId, depositId).get())?.status;
      expect([ledgerMinor, pendingDepositMinor]).toEqual([status === DepositStatus.cleared ? 100 : 0, 0]);
      if (kinds[1] === "returned") expect(status).not.toBe(DepositStatus.cleared);
    }
  });
});
