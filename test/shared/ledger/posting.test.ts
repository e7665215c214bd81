import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { journalEntry } from "../../../shared/ledger/journal-entry.ts";
import { balanceChanges, type Posting } from "../../../shared/ledger/postings.ts";

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
      "fractions of a minor unit among whole ones",
      [
        { account: "crd_A:available", amountMinor: 0.5 },
        { account: "crd_A:held", amountMinor: 0.5 },
        { account: "bank_funding", amountMinor: -1 },
      ],
    ],
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

  it("are in the error that rejects them", () => {
    const postings: Posting[] = [{ account: "crd_A:available", amountMinor: 1 }];
    expect(() => journalEntry("transfer", "trf_1", postings, new Date())).toThrow(JSON.stringify(postings));
  });
});
