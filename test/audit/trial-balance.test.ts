import { expect, test } from "vitest";
import { TrialBalance } from "../../infra/commands/audit/journal-checks.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";

const split = journalEntry(
  "refund",
  "txn_1",
  [
    { account: "network_settlement", amountMinor: -30 },
    { account: "crd_a:available", amountMinor: 10 },
    { account: "crd_b:available", amountMinor: 20 },
  ],
  new Date(0),
);

test("an entry of several accounts counts once for its contra account", () => {
  const balance = new TrialBalance();
  balance.add("prg_1", "crd_a", split, true);
  expect(balance.faults()).toEqual(["prg_1: accounts and contra accounts differ by -20."]);
  balance.add("prg_1", "crd_b", split, false);
  expect(balance.faults()).toEqual([]);
  expect(balance.lines()).toEqual(["prg_1  cards and wallets  30", "prg_1  network_settlement  -30"]);
});
