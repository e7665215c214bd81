import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  depositCleared,
  depositPending,
  depositReturned,
  depositSuspended,
  pendingDepositCleared,
  pendingDepositReversed,
  suspenseReturned,
} from "../../../shared/deposits/deposit.ts";
import { journalEntry } from "../../../shared/ledger/journal-entry.ts";
import {
  cardCredited,
  creditSettled,
  debitSettled,
  debtSettled,
  disputeWon,
  feeCharged,
  feeReversed,
  microDepositCameBack,
  microDepositLeft,
  payoutFeeCharged,
  payoutLeft,
  payoutReturned,
  sweptTo,
  withInterchange,
} from "../../../shared/ledger/movements.ts";
import {
  assertBalanced,
  balanceChanges,
  holdPlaced,
  holdReleased,
  Posting,
  transferred,
} from "../../../shared/ledger/postings.ts";

const card = "crd_1";

/**
 * The specified effects by row: ledger, held, pending, available, and contra accounts. Postings are
 * made within the test: a change of what makes them is noticed only there.
 */
const rows: readonly [string, () => readonly Posting[], readonly [number, number, number, number], object][] =
  [
    ["hold, increment", () => holdPlaced(card, 70), [0, 70, 0, -70], {}],
    ["reversal, expiry", () => holdReleased(card, 70), [0, -70, 0, 70], {}],
    [
      "settlement DR of its whole hold",
      () => debitSettled(card, 70, 70),
      [-70, -70, 0, 0],
      { network_settlement: 70 },
    ],
    [
      "settlement DR below its hold",
      () => debitSettled(card, 50, 70),
      [-50, -70, 0, 20],
      { network_settlement: 50 },
    ],
    [
      "settlement DR above its hold",
      () => debitSettled(card, 90, 70),
      [-90, -70, 0, -20],
      { network_settlement: 90 },
    ],
    [
      "settlement DR without a hold",
      () => debitSettled(card, 90),
      [-90, 0, 0, -90],
      { network_settlement: 90 },
    ],
    ["settlement CR", () => creditSettled(card, 30), [30, 0, 0, 30], { network_settlement: -30 }],
    [
      "settlement with interchange",
      () => withInterchange(card, debitSettled(card, 90, 70), 2),
      [-90, -70, 0, -20],
      { network_settlement: 88, interchange_income: 2 },
    ],
    [
      "settlement CR with interchange",
      () => withInterchange(card, creditSettled(card, 30), -1),
      [30, 0, 0, 30],
      { network_settlement: -29, interchange_income: -1 },
    ],
    [
      "interchange alone",
      () => withInterchange(card, [], -4),
      [0, 0, 0, 0],
      { network_settlement: 4, interchange_income: -4 },
    ],
    ["fee", () => feeCharged(card, 3), [-3, 0, 0, -3], { fee_income: 3 }],
    ["fee reversal", () => feeReversed(card, 3), [3, 0, 0, 3], { fee_income: -3 }],
    [
      "deposit pending",
      () => depositPending(card, "crypto_funding", 40),
      [40, 0, 40, 0],
      { crypto_funding: -40 },
    ],
    ["pending deposit cleared", () => pendingDepositCleared(card, 40), [0, 0, -40, 40], {}],
    [
      "deposit cleared with no pending",
      () => depositCleared(card, "bank_funding", 40),
      [40, 0, 0, 40],
      { bank_funding: -40 },
    ],
    [
      "pending deposit reversed",
      () => pendingDepositReversed(card, "crypto_funding", 40),
      [-40, 0, -40, 0],
      { crypto_funding: 40 },
    ],
    [
      "deposit returned",
      () => depositReturned(card, "bank_funding", 40),
      [-40, 0, 0, -40],
      { bank_funding: 40 },
    ],
    ["debt settled", () => debtSettled(card, 15), [15, 0, 0, 15], { program_reserve: -15 }],
    ["transfer in", () => transferred("wlt_1", card, 25), [25, 0, 0, 25], { "wlt_1:available": -25 }],
    ["transfer out", () => transferred(card, "wlt_1", 25), [-25, 0, 0, -25], { "wlt_1:available": 25 }],
    ["payout that left the bank", () => payoutLeft(card, "held", 40), [-40, -40, 0, 0], { bank_funding: 40 }],
    ["payout's fee", () => payoutFeeCharged(card, "available", 3), [-3, 0, 0, -3], { fee_income: 3 }],
    ["payout that came back", () => payoutReturned(card, 40), [40, 0, 0, 40], { bank_funding: -40 }],
    ["provisional credit", () => cardCredited(card, 60), [60, 0, 0, 60], { program_reserve: -60 }],
    ["provisional debit", () => cardCredited(card, -60), [-60, 0, 0, -60], { program_reserve: 60 }],
    ["dispute won before the credit", () => disputeWon(card, 60, 60), [60, 0, 0, 60], { disputed: -60 }],
  ];

describe("the balance effects", () => {
  it.each(rows)("of a %s", (_, given, [ledger, held, pending, available], elsewhere) => {
    const postings = given();
    assertBalanced(postings);
    expect(balanceChanges(postings).get(card)).toEqual({
      ledgerMinor: ledger,
      heldMinor: held,
      pendingDepositMinor: pending,
      availableMinor: available,
    });
    const others = postings.filter(({ account }) => !account.startsWith(`${card}:`));
    expect(Object.fromEntries(others.map(({ account, amountMinor }) => [account, amountMinor]))).toEqual(
      elsewhere,
    );
  });

  it("have no zero postings", () => {
    expect(debitSettled(card, 70, 70)).toHaveLength(2);
  });
});

describe("money of the Program", () => {
  it("pays a micro-deposit, and gets back what comes back: no account has it", () => {
    expect(microDepositLeft(4)).toEqual([
      { account: "program_reserve", amountMinor: -4 },
      { account: "bank_funding", amountMinor: 4 },
    ]);
    expect(microDepositCameBack(4)).toEqual([
      { account: "bank_funding", amountMinor: -4 },
      { account: "program_reserve", amountMinor: 4 },
    ]);
  });
});

describe("what a Card's own account gets where a Wallet pays", () => {
  it("goes on to the Wallet, if it is anything", () => {
    const refund = creditSettled(card, 30);
    expect(sweptTo("wlt_1", card, refund)).toEqual([...refund, ...transferred(card, "wlt_1", 30)]);
    expect(sweptTo(undefined, card, refund)).toBe(refund);
    const elsewhere = creditSettled("crd_2", 30);
    expect(sweptTo("wlt_1", card, elsewhere)).toBe(elsewhere);
  });
});

describe("money in suspense", () => {
  it("came from the deposit's funding and returns there: no account has it", () => {
    expect(depositSuspended("bank_funding", 40)).toEqual([
      { account: "bank_funding", amountMinor: -40 },
      { account: "suspense", amountMinor: 40 },
    ]);
    expect(suspenseReturned("bank_funding", 40)).toEqual([
      { account: "suspense", amountMinor: -40 },
      { account: "bank_funding", amountMinor: 40 },
    ]);
  });
});

describe("a stored posting", () => {
  it.each(rows)("of a %s is read as it was written", (_, given) => {
    const postings = given();
    expect(postings.map((posting) => Posting.parse({ ...posting }))).toEqual(postings);
  });

  it.each(["crypto_funding", "suspense"])("may be to %s", (account) => {
    expect(Posting.parse({ account, amountMinor: 1 })).toEqual({ account, amountMinor: 1 });
  });

  it.each([
    ["an unknown account", { account: "petty_cash", amountMinor: 1 }],
    ["an unknown part of an account", { account: "crd_1:spent", amountMinor: 1 }],
    ["no account", { amountMinor: 1 }],
    ["a fraction", { account: "suspense", amountMinor: 0.5 }],
  ])("is rejected with %s", (_, posting) => {
    expect(Posting.safeParse(posting).success).toBe(false);
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
