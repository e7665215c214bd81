import type { ProcessorEvent } from "../../../../shared/contract/processor.ts";

type Kind = ProcessorEvent["kind"];

/** What a person who writes the processor's adapter must know of each kind of event, beside its fields. */
interface KindGuide {
  readonly when: string;
  /** What it does to available, held, pending and ledger balance. */
  readonly effect: string;
  /** The transaction types that it writes, with what for. */
  readonly writes: string;
  readonly notes?: string;
}

const none = "none";

export const kindGuides: Readonly<Record<Kind, KindGuide>> = {
  authorization: {
    when: "A merchant asks for an amount. Send it by direct invocation: the answer is needed at once.",
    effect: "approved: available −amount, held +amount. Declined: none",
    writes: "1 authorization (pending, not listed); declined 77 authorization_declined (`transStatus` 4)",
    notes:
      "Approved where the card is Active, neither blocked nor expired, and has the amount. `declineReason`: `CARD_BLOCKED`, `CARD_CLOSED`, " +
      "`CARD_ON_HOLD`, `CARD_NOT_ACTIVATED`, `CARD_PENDING`, `CARD_EXPIRED`, `INSUFFICIENT_FUNDS`; the first that applies. A card is valid to " +
      "the end of its expiry month in UTC. Where the Program allows partial approval and the terminal supports it " +
      "(`partialApprovalSupported`), what there is is approved: see `amount` in the answer. If an advice, clearing, " +
      "reversal or expiry of the authorization came first, only the amount that they do not cover is checked and held, never a " +
      "part of it. If they cover all of it, it is approved without a check. A second one with the same `authorizationId` is refused. A card that " +
      "does not exist is `NOT_FOUND`, to be declined by the adapter.",
  },
  authorization_advice: {
    when: "The network has approved without asking, or in the platform's place (`standIn`).",
    effect: "available −amount, held +amount, whatever the card's status and money",
    writes: "2 authorization_advice, with `standIn` 14 authorization_standin (pending, not listed)",
    notes: "Adds to an authorization that is known by its `authorizationId`, else begins one.",
  },
  authorization_incremental: {
    when: "The merchant asks for more. Send it by direct invocation.",
    effect: "approved: available −amount, held +amount. Declined: none",
    writes: "11 authorization_incremental (pending, not listed); declined 77",
    notes:
      "By the same conditions as an authorization; one that is finished takes no more (`AUTHORIZATION_FINISHED`). Unknown " +
      "`authorizationId`: `NOT_FOUND`, to be sent again.",
  },
  authorization_reversal: {
    when: "The merchant, acquirer or network gives the authorization up, or a part of it.",
    effect: "held −r, available +r, r being `amount` or all that is held, and never more than is held",
    writes: "12 authorization_reversal (not listed)",
    notes:
      "Without `amount` the authorization is finished. Of a finished one nothing can be reversed: `ILLEGAL_TRANSITION`, nothing changes.",
  },
  authorization_expiry: {
    when: "The network lets an authorization lapse. The platform does so itself seven days after it began to hold something.",
    effect: "held −r, available +r, r being all that is held",
    writes: "83 authorizationexpiry; by the platform 13 authorization_reversal_issuerexpiration (not listed)",
    notes: "Finishes the authorization. Of a finished one: `ILLEGAL_TRANSITION`, nothing changes.",
  },
  clearing: {
    when: "A purchase is settled: of an authorization, or without one (force post).",
    effect:
      "ledger −amount, held −r, available +r −amount. r is what it releases: with `final` all that is held, else `amount` or what is held " +
      "where that is less; without `authorizationId`, or of a finished authorization, 0",
    writes: "3 authorization_clearing (`transStatus` 3)",
    notes:
      "Never refused for lack of money or for the card's status: the network has paid. A closed card is debited too, and a balance may become " +
      "negative. What exceeds the hold is taken from what is available. Billed in another currency (`srcCurrency`), it carries the " +
      "Program's conversion fee (15 fee_charge), if there is one. Under Dynamic Currency Conversion `srcCurrency` is the card's.",
  },
  refund: {
    when: "A merchant gives money back.",
    effect: "ledger +amount, available +amount",
    writes: "54 refund (`transStatus` 3)",
  },
  refund_reversal: {
    when: "A refund is taken back, whole.",
    effect: "ledger −a, available −a, a being the refund's amount",
    writes: "84 returnreversal (`transStatus` 3)",
    notes:
      "`transId` is what the refund was answered. Once: then `ILLEGAL_TRANSITION`. Never refused for lack of money.",
  },
  atm_withdrawal: {
    when: "Cash is asked for at an ATM. Send it by direct invocation: the answer is needed at once. There is no hold.",
    effect: "approved: ledger −amount −fee, available −amount −fee. Declined: none",
    writes:
      "36 pindebit_atm_withdrawal, and for its fee 15 fee_charge (`feeType` 3, `srcAmount` 0), in one transaction; declined 77 " +
      "authorization_declined (`transStatus` 4)",
    notes:
      "Approved where the card is Active, neither blocked nor expired, and has amount and fee; `declineReason` as with an authorization. With `advice` it is posted whatever " +
      "the card's status and money. The fee is the parent: each record names the other. Two notifications are always sent: without a fee, the " +
      "parent's amount is 0.",
  },
  fee: {
    when: "A fee is charged.",
    effect: "ledger −amount, available −amount",
    writes: "15 fee_charge: a fee record, no transaction",
    notes: "Never refused for lack of money or for the card's status.",
  },
  fee_reversal: {
    when: "A fee is given back, whole.",
    effect: "ledger +a, available +a, a being the fee's amount",
    writes: "17 fee_charge_reversal (`transStatus` 3)",
    notes:
      "The fee stays among the fees; what gives it back is a transaction. Once: then `ILLEGAL_TRANSITION`.",
  },
  balance_inquiry: {
    when: "Somebody asks at an ATM what is on the card.",
    effect: none,
    writes: "85 balanceinquiry, amount 0",
    notes:
      "The answer has `availableBalance`, `ledgerBalance` and `currency` as they were at that moment; repetitions are answered the same.",
  },
  chargeback: {
    when: "A cleared purchase or ATM withdrawal is disputed.",
    effect: "ledger +a, available +a, a being `amount` or all of the transaction: the Program's advance",
    writes:
      "4 authorization_clearing_chargeback, amount 0, and 6 …_provisional_credit; of an ATM withdrawal 42 pindebit_chargeback and 44 " +
      "…_provisional_credit",
    notes:
      "Once for a transaction, and for no more than it; else `ILLEGAL_TRANSITION`. The answer's `chargebackId` names the dispute.",
  },
  chargeback_outcome: {
    when: "The dispute goes on or ends.",
    effect: "lost, reversed: ledger −a, available −a. Represented, won, written off: none",
    writes:
      "1 Represented: 10 authorization_clearing_representment; 2 Won: 5 …_chargeback_completed; 3 Lost: 7 …_provisional_debit; " +
      "4 Written off: 9 …_writeoff; 5 Reversed: 8 …_chargeback_reversal. Of an ATM withdrawal: 1: 42 pindebit_chargeback once more; 2: 43 " +
      "…_completed; 3: 45 …_provisional_debit; 4: 47 …_writeoff; 5: 46 …_reversal. What moves nothing has amount 0",
    notes: "Won, the network pays the Program's advance; written off, the Program bears it.",
  },
  deposit_pending: {
    when: "Money from outside is announced.",
    effect: "ledger +amount, pending +amount; nothing can be spent of it yet",
    writes: "24 gpa_credit_pending (`transStatus` 1, listed), on a card",
  },
  deposit_cleared: {
    when: "A pending deposit can be spent, or one arrives that was never pending.",
    effect: "was pending: pending −amount, available +amount. Was not: ledger +amount, available +amount",
    writes: "18 gpa_credit (`transStatus` 2), in the place of the pending one, on a card",
    notes:
      "With the `depositId` of a pending deposit, or with all details of a new one. Without a sandbox nothing else clears a bank deposit.",
  },
  deposit_reversed: {
    when: "A pending deposit goes back.",
    effect: "ledger −amount, pending −amount",
    writes: "25 gpa_credit_pending_reversal: it leaves the lists",
  },
  deposit_returned: {
    when: "The bank takes a cleared deposit back.",
    effect: "ledger −amount, available −amount",
    writes: "26 gpa_credit_reversal (`transStatus` 2), beside the deposit's own record, on a card",
    notes:
      "Never refused for lack of money or for the card's status: a balance may become negative. Once: then `ILLEGAL_TRANSITION`. A " +
      "deposit that is still pending is reversed, and its clearing refused when it comes.",
  },
  kyc_outcome: {
    when: "The compliance provider has decided on a Cardholder under review.",
    effect: none,
    writes: none,
  },
  card_approval: {
    when: "An issuance that waits for it is approved, or declined: then the card is Closed.",
    effect: "none, but for an approval where the Program charges for issuances: ledger −fee, available −fee",
    writes: "15 fee_charge (`feeType` 1) with such an approval",
  },
  three_ds_challenge: {
    when: "A purchase without the card present asks its Cardholder for a one-time passcode.",
    effect: none,
    writes: none,
    notes: "Refused for a Program without 3-D Secure and for a card that is not Active, blocked or expired.",
  },
  three_ds_completion: {
    when: "The Cardholder has answered with a code.",
    effect: none,
    writes: none,
    notes: "The answer tells whether it was the right one, in time. Five wrong ones void the challenge.",
  },
};

/** What each field means, whichever kind it stands in. */
export const fieldNotes: Readonly<Record<string, string>> = {
  eventId: "the sender's own unique id of the event, within the Program",
  programId: "the Program that the card, wallet or Cardholder belongs to",
  kind: "the kind of the event",
  occurredAt: "when it happened on the sender's side, ISO 8601 UTC with milliseconds; now, if left out",
  cardId: "the card",
  authorizationId: "the sender's reference of the authorization, which all the events of its life carry",
  amount: "minor units of the card's currency",
  partialApprovalSupported: "whether the terminal takes an approval of less than `amount`; not, if left out",
  advice: "the network has approved it already: it is posted without a decision",
  standIn: "the network approved in the platform's place",
  final: "whether it is the last clearing of the authorization",
  merchantName: "the merchant's name",
  mcc: "ISO 18245 merchant category",
  merchantId: "the merchant's id with its acquirer",
  merchantCity: "the merchant's city",
  merchantCountry: "ISO 3166-1 alpha-2",
  srcAmount:
    "what the merchant billed, in hundredths of `srcCurrency`; where that is the card's, `amount` holds",
  srcCurrency: "ISO 4217 numeric code; the card's currency, if left out",
  referenceCode: "globally unique reference of the settlement; one is made, if left out",
  description: "the statement's text; one is made, if left out",
  transId: "the transaction that it is about, as its event was answered",
  feeAmount: "minor units; what the Program's schedule says, if left out",
  feeType: "1 issuance, 2 maintenance, 3 ATM and cash advance, 4 cross-border and FX, 5 other service",
  relatedTransId: "the transaction that the fee is charged for",
  feeId: "the fee that it is about, as its event was answered",
  chargebackId: "the dispute; one is made, if left out",
  status: "the outcome, see above; for `kyc_outcome` 1 Approved, 2 Compliance Decline, 6 Error",
  cardStatus: "1 Approved, 2 Declined",
  cardholderId: "the Cardholder",
  depositId: "the deposit; one is made, if left out with a new one",
  accountType: "0: `accountId` is a walletId, 1: it is a cardId",
  accountId: "the wallet or card that the money comes in on",
  channel: "how the money came in",
  chain: "the blockchain",
  asset: "the digital asset",
  txHash: "the blockchain transaction",
  challengeId: "the challenge; one is made, if left out",
  expiresInSeconds: "how long the code can be used",
  code: "what the Cardholder has typed",
};
