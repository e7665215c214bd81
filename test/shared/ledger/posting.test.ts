import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { journalEntry } from "../../../shared/ledger/journal-entry.ts";
import {
  depositCleared,
  depositPending,
  pendingDepositCleared,
  pendingDepositReversed,
  transferred,
} from "../../../shared/ledger/movements.ts";
import {
  assertBalanced,
  balanceChanges,
  type Posting,
  zeroBalances,
} from "../../../shared/ledger/posting.ts";

const account = "crd_A";

describe("the postings of each change of money", () => {
  it.each<[string, Posting[], Partial<typeof zeroBalances>]>([
    [
      "deposit pending",
      depositPending(account, "bank_funding", 10),
      { pendingDepositMinor: 10, ledgerMinor: 10 },
    ],
    [
      "pending deposit cleared",
      pendingDepositCleared(account, 10),
      { pendingDepositMinor: -10, availableMinor: 10 },
    ],
    [
      "deposit cleared with no pending",
      depositCleared(account, "crypto_funding", 10),
      { availableMinor: 10, ledgerMinor: 10 },
    ],
    [
      "pending deposit reversed",
      pendingDepositReversed(account, "bank_funding", 10),
      { pendingDepositMinor: -10, ledgerMinor: -10 },
    ],
    ["transfer out", transferred(account, "wlt_B", 10), { availableMinor: -10, ledgerMinor: -10 }],
    ["transfer in", transferred("wlt_B", account, 10), { availableMinor: 10, ledgerMinor: 10 }],
  ])("%s changes the balances as the table of events says, and sums to zero", (_, postings, change) => {
    expect(balanceChanges(postings).get(account)).toEqual({ ...zeroBalances, ...change });
    expect(() => assertBalanced(postings)).not.toThrow();
  });

  /** The postings of holds, settlements and fees are not made yet; the way from postings to balances bears them. */
  it.each<[string, Posting[], Partial<typeof zeroBalances>]>([
    [
      "hold of 8",
      [
        { account: "crd_A:available", amountMinor: -8 },
        { account: "crd_A:held", amountMinor: 8 },
      ],
      { availableMinor: -8, heldMinor: 8 },
    ],
    [
      "settlement of 9, releasing a hold of 8",
      [
        { account: "crd_A:held", amountMinor: -8 },
        { account: "crd_A:available", amountMinor: -1 },
        { account: "network_settlement", amountMinor: 9 },
      ],
      { heldMinor: -8, availableMinor: -1, ledgerMinor: -9 },
    ],
    [
      "fee of 2",
      [
        { account: "crd_A:available", amountMinor: -2 },
        { account: "fee_income", amountMinor: 2 },
      ],
      { availableMinor: -2, ledgerMinor: -2 },
    ],
  ])("%s would, too", (_, postings, change) => {
    expect(balanceChanges(postings).get(account)).toEqual({ ...zeroBalances, ...change });
  });
});

describe("balanceChanges", () => {
  const parts = ["available", "held", "pending"] as const;
  const posting = fc.record({
    account: fc.oneof(
      fc
        .tuple(fc.constantFrom("crd_A", "wlt_B", "wlt_C"), fc.constantFrom(...parts))
        .map(([id, part]) => `${id}:${part}` as const),
      fc.constantFrom("bank_funding", "network_settlement"),
    ),
    amountMinor: fc.integer({ min: -1_000, max: 1_000 }),
  }) as fc.Arbitrary<Posting>;

  it("keeps ledger = available + held + pending, and loses no posting to an account", () => {
    fc.assert(
      fc.property(fc.array(posting), (postings) => {
        const changes = balanceChanges(postings);
        for (const change of changes.values()) {
          expect(change.ledgerMinor).toBe(
            change.availableMinor + change.heldMinor + change.pendingDepositMinor,
          );
        }
        const inAccounts = [...changes.values()].reduce((sum, { ledgerMinor }) => sum + ledgerMinor, 0);
        const posted = postings
          .filter((each) => each.account.includes(":"))
          .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
        expect(inAccounts).toBe(posted);
      }),
    );
  });

  it("knows nothing of contra accounts", () => {
    expect(balanceChanges([{ account: "bank_funding", amountMinor: 1 }]).size).toBe(0);
  });
});

describe("journalEntry", () => {
  it.each<[string, Posting[]]>([
    ["nothing", []],
    ["a sum other than zero", [{ account: "crd_A:available", amountMinor: 1 }]],
    [
      "fractions of a minor unit",
      [
        { account: "crd_A:available", amountMinor: 0.5 },
        { account: "bank_funding", amountMinor: -0.5 },
      ],
    ],
    [
      "what is not a number",
      [
        { account: "crd_A:available", amountMinor: Number.NaN },
        { account: "bank_funding", amountMinor: Number.NaN },
      ],
    ],
  ])("refuses postings of %s", (_, postings) => {
    expect(() => journalEntry("transfer", "trf_1", postings, new Date())).toThrow(/sum to zero/);
  });
});
