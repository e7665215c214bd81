import { describe, expect, it } from "vitest";
import {
  assertBalanced,
  balanceChanges,
  cardCredited,
  creditSettled,
  debitSettled,
  debtSettled,
  depositCleared,
  depositPending,
  depositReturned,
  depositSuspended,
  disputeWon,
  feeCharged,
  feeReversed,
  holdPlaced,
  holdReleased,
  Posting,
  pendingDepositCleared,
  pendingDepositReversed,
  suspenseReturned,
  transferred,
  withInterchange,
} from "../../../shared/ledger/postings.ts";

const card = "crd_1";

/** The specified effects by row: ledger, held, pending, available, and contra accounts. */
const rows: readonly [string, readonly Posting[], readonly [number, number, number, number], object][] = [
  ["hold, increment", holdPlaced(card, 70), [0, 70, 0, -70], {}],
  ["reversal, expiry", holdReleased(card, 70), [0, -70, 0, 70], {}],
  [
    "settlement DR of its whole hold",
    debitSettled(card, 70, 70),
    [-70, -70, 0, 0],
    { network_settlement: 70 },
  ],
  ["settlement DR below its hold", debitSettled(card, 50, 70), [-50, -70, 0, 20], { network_settlement: 50 }],
  [
    "settlement DR above its hold",
    debitSettled(card, 90, 70),
    [-90, -70, 0, -20],
    { network_settlement: 90 },
  ],
  ["settlement DR without a hold", debitSettled(card, 90), [-90, 0, 0, -90], { network_settlement: 90 }],
  ["settlement CR", creditSettled(card, 30), [30, 0, 0, 30], { network_settlement: -30 }],
  [
    "settlement with interchange",
    withInterchange(card, debitSettled(card, 90, 70), 2),
    [-90, -70, 0, -20],
    { network_settlement: 88, interchange_income: 2 },
  ],
  [
    "settlement CR with interchange",
    withInterchange(card, creditSettled(card, 30), -1),
    [30, 0, 0, 30],
    { network_settlement: -29, interchange_income: -1 },
  ],
  [
    "interchange alone",
    withInterchange(card, [], -4),
    [0, 0, 0, 0],
    { network_settlement: 4, interchange_income: -4 },
  ],
  ["fee", feeCharged(card, 3), [-3, 0, 0, -3], { fee_income: 3 }],
  ["fee reversal", feeReversed(card, 3), [3, 0, 0, 3], { fee_income: -3 }],
  ["deposit pending", depositPending(card, "crypto_funding", 40), [40, 0, 40, 0], { crypto_funding: -40 }],
  ["pending deposit cleared", pendingDepositCleared(card, 40), [0, 0, -40, 40], {}],
  [
    "deposit cleared with no pending",
    depositCleared(card, "bank_funding", 40),
    [40, 0, 0, 40],
    { bank_funding: -40 },
  ],
  [
    "pending deposit reversed",
    pendingDepositReversed(card, "crypto_funding", 40),
    [-40, 0, -40, 0],
    { crypto_funding: 40 },
  ],
  ["deposit returned", depositReturned(card, "bank_funding", 40), [-40, 0, 0, -40], { bank_funding: 40 }],
  ["debt settled", debtSettled(card, 15), [15, 0, 0, 15], { program_reserve: -15 }],
  ["transfer in", transferred("wlt_1", card, 25), [25, 0, 0, 25], { "wlt_1:available": -25 }],
  ["transfer out", transferred(card, "wlt_1", 25), [-25, 0, 0, -25], { "wlt_1:available": 25 }],
  ["provisional credit", cardCredited(card, 60), [60, 0, 0, 60], { program_reserve: -60 }],
  ["provisional debit", cardCredited(card, -60), [-60, 0, 0, -60], { program_reserve: 60 }],
  ["dispute won before the credit", disputeWon(card, 60, 60), [60, 0, 0, 60], { disputed: -60 }],
];

describe("the balance effects", () => {
  it.each(rows)("of a %s", (_, postings, [ledger, held, pending, available], elsewhere) => {
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
  it.each(rows)("of a %s is read as it was written", (_, postings) => {
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
