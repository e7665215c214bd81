/** What the author of an adapter must know about a kind of event, besides its fields. */
export interface KindGuide {
  /** The fields of an event, without those that every event has. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly when: string;
  /** The changes of available, held, pending and ledger balance. */
  readonly effect: string;
  /** The types of the transactions that it writes. */
  readonly writes: string;
  readonly notes?: readonly string[];
}

export const record = (prefix: string) => `${prefix}_${"1".padStart(26, "0")}`;
const none = "none";
const cardId = record("crd");

/** What becomes of Cardholders and cards, and 3-D Secure. No money moves but an issuance fee. */
export const cardholderGuides = {
  kyc_outcome: {
    example: { cardholderId: record("chd"), status: 1 },
    when: "The compliance provider has decided on a Cardholder under review.",
    effect: none,
    writes: none,
    notes: [
      "With a `sessionId`, it counts only for that submission; for another one it is `ILLEGAL_TRANSITION`.",
    ],
  },
  kyc_documents: {
    example: { cardholderId: record("chd") },
    when: "The compliance provider needs documents of a Cardholder under review.",
    effect: none,
    writes: none,
    notes: [
      "The Cardholder stays 3 Under Review, and shows `kycRequirement`: `documents`.",
      "The 30 days after which a review without an outcome ends begin anew.",
    ],
  },
  card_approval: {
    example: { cardId, cardStatus: 1 },
    when: "An issuance that waits for approval is approved or declined. A declined card becomes Closed.",
    effect: "an approval, if the Program charges for issuances: ledger −fee, available −fee. Otherwise none",
    writes: "15 fee_charge (`feeType` 1), if a fee is charged",
  },
  card_shipping: {
    example: { cardId, status: "shipped", trackingNumber: "00340434161094042557", carrier: "DHL" },
    when: "A physical card was handed to a carrier, reached its Cardholder, or came back.",
    effect: none,
    writes: none,
    notes: [
      "The Card shows it as `shipping`. Its first status is `pending`.",
      "In any order, the card ends in the latest status: `shipped`, then `delivered`, then `returned`. A report that comes too late changes " +
        "no status, and adds a tracking number or carrier that is not known yet.",
      "If both reports have `occurredAt`, the later one wins, whatever its status: send it if cards are shipped again. Without it, a " +
        "`shipped` after `delivered` or `returned` is taken for a late one.",
      "The same status again, with another tracking number or carrier, corrects it.",
      "For a virtual card and a declined issuance, the answer is `ILLEGAL_TRANSITION`. While the issuance waits for approval, it is " +
        "`NOT_FOUND`: send it again.",
    ],
  },
  three_ds_challenge: {
    example: { cardId, amount: 2_500, merchantName: "Corner Shop", mcc: "5411" },
    when: "A purchase without the physical card needs a one-time passcode from the Cardholder.",
    effect: none,
    writes: none,
    notes: [
      "Refused if the Program has no 3-D Secure, or if the card is not Active, is blocked or has expired.",
    ],
  },
  three_ds_completion: {
    example: { challengeId: record("chl"), code: "123456" },
    when: "The Cardholder entered a code.",
    effect: none,
    writes: none,
    notes: [
      "`authenticated` in the answer says whether the code was right and in time. Five wrong codes void the challenge.",
    ],
  },
} as const satisfies Readonly<Record<string, KindGuide>>;
