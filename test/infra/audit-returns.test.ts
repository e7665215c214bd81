import { describe, expect, it } from "vitest";
import { Entries } from "../../infra/commands/audit/journal-checks.ts";
import { depositCleared, depositReturned } from "../../shared/deposits/deposit.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { newId } from "../../shared/platform/id.ts";

const programId = newId("program");
const wallet = newId("wallet");

/** Faults of the entries of a deposit of 10.00, of which these amounts were returned. */
function faultsOf(...returned: number[]) {
  const depositId = newId("deposit");
  const at = new Date();
  const entries = [
    journalEntry("deposit_cleared", depositId, depositCleared(wallet, "bank_funding", 1_000), at),
    ...returned.map((minor) =>
      journalEntry("deposit_returned", depositId, depositReturned(wallet, "bank_funding", minor), at),
    ),
  ];
  const found = new Entries();
  for (const entry of entries) found.add({ programId, accountId: wallet, entry });
  found.end();
  return found.faults.map((fault) => fault.replace(depositId, "dep"));
}

describe("an audit", () => {
  it.each([[[]], [[1_000]], [[400, 600]], [[400, 400]]])(
    "accepts a deposit that was returned: %j",
    (parts) => {
      expect(faultsOf(...parts)).toEqual([]);
    },
  );

  it.each([
    [[1_000, 1_000], 1_000],
    [[400, 601], 1],
  ])("finds that more was returned: %j", (parts, more) => {
    expect(faultsOf(...parts)).toEqual([`${programId} dep was returned with ${more} more than it brought.`]);
  });
});
