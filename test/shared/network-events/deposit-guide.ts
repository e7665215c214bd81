import { type KindGuide, record } from "./cardholder-guide.ts";

const cardId = record("crd");

export const depositGuides = {
  deposit_pending: {
    example: { accountType: 1, accountId: cardId, amount: 50_000, chain: "bitcoin", asset: "BTC" },
    when: "A deposit is announced. It cannot be spent yet.",
    effect: "ledger +amount, pending +amount",
    writes: "on a card, 24 gpa_credit_pending (`transStatus` 1, listed)",
  },
  deposit_cleared: {
    example: { depositId: record("dep") },
    when: "A pending deposit clears, or a deposit arrives that was never pending.",
    effect:
      "of a pending deposit: pending −amount, available +amount. Of a new one: ledger +amount, available +amount",
    writes: "on a card, 18 gpa_credit (`transStatus` 2), which replaces the pending record",
    notes: [
      "Send the `depositId` of a pending deposit, or all details of a new one.",
      "In an environment without a sandbox, a bank deposit clears only by this event.",
    ],
  },
  deposit_reversed: {
    example: { depositId: record("dep") },
    when: "A pending deposit goes back.",
    effect: "ledger −amount, pending −amount",
    writes: "25 gpa_credit_pending_reversal. The record leaves the lists",
  },
  deposit_returned: {
    example: { depositId: record("dep") },
    when: "The bank takes back a cleared deposit.",
    effect: "ledger −amount, available −amount",
    writes: "on a card, 26 gpa_credit_reversal (`transStatus` 2), beside the deposit's own record",
    notes: [
      "Never refused for lack of money or for the card's status. A balance can become negative.",
      "Without `amount`, all that is left of the deposit is returned; with less, a part. More than is left is `ILLEGAL_TRANSITION`.",
      "A deposit that is still pending is reversed, and its clearing is refused when it comes.",
    ],
  },
} as const satisfies Record<string, KindGuide>;
