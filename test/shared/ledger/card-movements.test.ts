import { describe, expect, it } from "vitest";
import {
  chargebackPaid,
  creditedProvisionally,
  creditSettled,
  debitedProvisionally,
  debitSettled,
  feeCharged,
  feeGivenBack,
  holdPlaced,
  holdReleased,
} from "../../../shared/ledger/card-movements.ts";
import {
  depositCleared,
  depositPending,
  pendingDepositCleared,
  pendingDepositReversed,
  transferred,
} from "../../../shared/ledger/movements.ts";
import { assertBalanced, balanceChanges, type Posting } from "../../../shared/ledger/posting.ts";

const card = "crd_1";

/** The balance effects of the design, row by row: ledger, held, pending deposit, available. */
const rows: readonly [string, readonly Posting[], readonly [number, number, number, number]][] = [
  ["hold, increment", holdPlaced(card, 70), [0, 70, 0, -70]],
  ["reversal, expiry", holdReleased(card, 70), [0, -70, 0, 70]],
  ["settlement DR of its whole hold", debitSettled(card, 70, 70), [-70, -70, 0, 0]],
  ["settlement DR below its hold", debitSettled(card, 50, 70), [-50, -70, 0, 20]],
  ["settlement DR above its hold", debitSettled(card, 90, 70), [-90, -70, 0, -20]],
  ["settlement DR without a hold", debitSettled(card, 90), [-90, 0, 0, -90]],
  ["settlement CR", creditSettled(card, 30), [30, 0, 0, 30]],
  ["fee", feeCharged(card, 3), [-3, 0, 0, -3]],
  ["fee reversal", feeGivenBack(card, 3), [3, 0, 0, 3]],
  ["deposit pending", depositPending(card, "crypto_funding", 40), [40, 0, 40, 0]],
  ["pending deposit cleared", pendingDepositCleared(card, 40), [0, 0, -40, 40]],
  ["deposit cleared with no pending", depositCleared(card, "bank_funding", 40), [40, 0, 0, 40]],
  ["pending deposit reversed", pendingDepositReversed(card, "crypto_funding", 40), [-40, 0, -40, 0]],
  ["transfer in", transferred("wlt_1", card, 25), [25, 0, 0, 25]],
  ["transfer out", transferred(card, "wlt_1", 25), [-25, 0, 0, -25]],
  ["provisional credit", creditedProvisionally(card, 60), [60, 0, 0, 60]],
  ["provisional debit", debitedProvisionally(card, 60), [-60, 0, 0, -60]],
  ["chargeback won", chargebackPaid(card, 60), [0, 0, 0, 0]],
];

describe("the balance effects", () => {
  it.each(rows)("of a %s", (_, postings, [ledger, held, pending, available]) => {
    assertBalanced(postings);
    expect(balanceChanges(postings).get(card)).toEqual({
      ledgerMinor: ledger,
      heldMinor: held,
      pendingDepositMinor: pending,
      availableMinor: available,
    });
  });

  it("have no posting of nothing, but where it says whose books the entry belongs to", () => {
    expect(debitSettled(card, 70, 70)).toHaveLength(2);
    expect(chargebackPaid(card, 60).filter(({ amountMinor }) => amountMinor === 0)).toHaveLength(1);
  });
});
