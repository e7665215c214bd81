import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { cardholderGuides, type KindGuide, record } from "./cardholder-guide.ts";
import { depositGuides } from "./deposit-guide.ts";
import { tokenGuides } from "./token-guide.ts";

type Kind = ProcessorEvent["kind"];

const none = "none";
const cardId = record("crd");
const authorizationId = "auth-7";
const shop = { merchantName: "Corner Shop", mcc: "5411" };

/** The most frequent kinds come first. */
export const kindGuides: Readonly<Record<Kind, KindGuide>> = {
  authorization: {
    example: { cardId, authorizationId, amount: 2_500, ...shop },
    when: "A merchant asks to reserve an amount. Invoke the function: the network waits for the answer.",
    effect: "if approved: available −amount, held +amount. If declined: none",
    writes: "1 authorization (pending, not listed). If declined: 77 authorization_declined (`transStatus` 4)",
    notes: [
      "Approved if the card is Active, not blocked, not expired, and has the amount available. A card is valid until the end of its " +
        "expiry month in UTC.",
      "`declineReason` is the first that applies of `CARD_BLOCKED`, `CARD_CLOSED`, `CARD_ON_HOLD`, `CARD_NOT_ACTIVATED`, `CARD_PENDING`, " +
        "`CARD_EXPIRED`, `SPEND_LIMIT`, `INSUFFICIENT_FUNDS`, `CONTROL_DECLINED`. The last names the [spend control](controls.md) in `controlId`.",
      "If the Program allows partial approval and the terminal supports it (`partialApprovalSupported`), the platform approves the " +
        "available part. Read `amount` in the answer.",
      "If the Program has an authorization endpoint, the platform reserves what it would approve, and asks. The answer takes up to " +
        "the deadline, at most 3 s, plus the commits around it. `RECEIVER_DECLINED` and `STAND_IN_DECLINED` are further reasons. What the stand-in " +
        "approves is written as 14 authorization_standin.",
      "A repetition of the event waits for the decision, and gets the same answer. It may wait one second longer. What is not decided " +
        "a second after the deadline is declined by the stand-in. Events that come before the decision count as if they had come before the authorization.",
      "If an advice, clearing, reversal or expiry of the same authorization came first, the platform checks and holds only the amount " +
        "that they do not cover, all of it or nothing. If they cover the whole amount, neither card nor balance is checked.",
      "An `amount` of 0 verifies the account: card and `failedCheck` are checked, neither the balance nor spend controls nor the " +
        "authorization endpoint. It holds nothing.",
      "A second authorization with the same `authorizationId` is refused.",
      "For a card that does not exist, the answer is `NOT_FOUND`: the adapter declines.",
    ],
  },
  authorization_advice: {
    example: { cardId, authorizationId, amount: 2_500, standIn: true, ...shop },
    when: "The network approved a purchase without asking the platform, or on its behalf (`standIn`).",
    effect: "available −amount, held +amount, whatever the card's status, balance and spend controls",
    writes: "2 authorization_advice, or with `standIn` 14 authorization_standin (pending, not listed)",
    notes: [
      "Adds to the authorization with this `authorizationId`, or starts a new one. With `standIn` or `total`, it is held also " +
        "where the platform declined the authorization, unless a reversal with `mayBeDone` came since.",
      "With `total`, `amount` is all that is authorized, what is cleared already included. Totals count in the order of " +
        "`occurredAt`, those without it in the order of their arrival. What occurred before the last one, such as the " +
        "authorization itself, adds nothing; increments and partial reversals from after it count, whichever comes first. " +
        "A lower total releases the difference (12 authorization_reversal).",
    ],
  },
  authorization_incremental: {
    example: { cardId, authorizationId, amount: 500 },
    when: "The merchant asks to add to an authorization. Invoke the function.",
    effect: "if approved: available −amount, held +amount. If declined: none",
    writes: "11 authorization_incremental (pending, not listed). If declined: 77 authorization_declined",
    notes: [
      "An increment is checked, and put to the authorization endpoint, like an authorization. A finished " +
        "authorization declines it with `AUTHORIZATION_FINISHED`, one that has 1,000 with `AUTHORIZATION_FULL`.",
      "If the `authorizationId` is unknown, or its authorization awaits a decision, the answer is `NOT_FOUND`: send it again.",
    ],
  },
  authorization_reversal: {
    example: { cardId, authorizationId, amount: 1_000 },
    when: "The merchant, acquirer or network releases an authorization or a part of it.",
    effect:
      "held −r, available +r. r is `amount` or, without it, everything held; it is never more than is held",
    writes: "12 authorization_reversal (not listed)",
    notes: [
      "Without `amount`, the authorization is finished.",
      "With `total`, `amount` is what stays authorized, what is cleared already included. It also limits an authorization that " +
        "comes later.",
      "If an ATM withdrawal has this `authorizationId`, r is given back from what was withdrawn: ledger +r, available +r, " +
        "50 pindebit_reversal (`transStatus` 3). After a whole reversal, the answer has the `feeId` of the withdrawal's fee, for a " +
        "`fee_reversal`; with `withFee`, the platform reverses the fee itself. A withdrawal that comes after its whole reversal is declined with `AUTHORIZATION_FINISHED`.",
      "With `ofPosted`, a purchase that is posted is given back by 54 refund. All its reversals together give back at most what was " +
        "posted; a disputed purchase is not reversed, and a reversed one is not disputed: `ILLEGAL_TRANSITION`. Once the refund is reversed, another event refunds the purchase again, also with `mayBeDone`.",
      "With `incrementEventId`, the answer is `NOT_FOUND` until that increment is decided. In the queue, the event waits for five minutes.",
      "For a finished authorization, the answer is `ILLEGAL_TRANSITION`, and nothing changes.",
    ],
  },
  authorization_expiry: {
    example: { cardId, authorizationId },
    when:
      "The network lets an authorization lapse. The platform itself does so seven days after the authorization " +
      "first held money.",
    effect: "held −r, available +r. r is everything held",
    writes: "83 authorizationexpiry; by the platform 13 authorization_reversal_issuerexpiration (not listed)",
    notes: [
      "The authorization is finished. If it already was, the answer is `ILLEGAL_TRANSITION`, and nothing changes.",
    ],
  },
  clearing: {
    example: { cardId, authorizationId, amount: 2_400, referenceCode: "settlement-12" },
    when: "A purchase settles, with its authorization or without one (force post).",
    effect: "ledger −amount, held −r, available +r −amount",
    writes: "3 authorization_clearing (`transStatus` 3)",
    notes: [
      "r is the released part of the hold. With `final`, it is everything held. Otherwise it is `amount`, or everything held if that " +
        "is less. Without `authorizationId`, or for a finished authorization, it is 0.",
      "Never refused for lack of money or for the card's status, because the network has paid. A closed card is debited too, and a " +
        "balance can become negative.",
      "If an ATM withdrawal has this `authorizationId`, `amount` is what was really paid out. Only the difference is posted, once: 38 " +
        "pindebit_authorization_clearing or 50 pindebit_reversal. Where there is none, nothing moves, and the 38 is not listed. A second " +
        "clearing of it is answered `ILLEGAL_TRANSITION`.",
      "What exceeds the hold comes from the available balance.",
      "If it was billed in another currency (`srcCurrency`), the Program's conversion fee, if there is one, is charged too (15 fee_charge). " +
        "Under Dynamic Currency Conversion, `srcCurrency` is the card's currency.",
    ],
  },
  refund: {
    example: { cardId, amount: 900, ...shop },
    when: "A merchant gives money back.",
    effect: "ledger +amount, available +amount",
    writes:
      "54 refund (`transStatus` 3); [beside a dispute](disputes.md#a-refund-beside-a-dispute) also 7 or 45",
  },
  refund_authorization: {
    example: { cardId, amount: 900, merchantName: "CORNER SHOP" },
    when: "A merchant asks whether it may refund. Invoke the function.",
    effect: none,
    writes:
      "87 refund_authorization with amount 0; its description has what is to be refunded. If declined: 77 authorization_declined",
    notes: ["Only the card is checked, whatever `plasticId` says. The money comes with the `refund`."],
  },
  refund_reversal: {
    example: { cardId, transId: record("txn") },
    when: "A refund is taken back in full.",
    effect: "ledger −a, available −a. a is the refund's amount",
    writes: "84 returnreversal (`transStatus` 3)",
    notes: [
      "Never refused for lack of money.",
      "Its amount can be disputed or given back again, on the purchase that the refund names or reverses. A second reversal of the refund is answered `ILLEGAL_TRANSITION`.",
    ],
  },
  atm_withdrawal: {
    example: { cardId, amount: 10_000, feeAmount: 250, merchantName: "ATM 12" },
    when: "A cardholder asks for cash at an ATM. Invoke the function: the ATM waits for the answer.",
    effect: "if approved: ledger −amount −fee, available −amount −fee. If declined: none",
    writes:
      "36 pindebit_atm_withdrawal and, for its fee, 15 fee_charge (`feeType` 3, `srcAmount` 0), in one transaction. If declined: " +
      "77 authorization_declined (`transStatus` 4)",
    notes: [
      "Approved if the card is Active, not blocked, not expired, and has the amount and the fee available. `declineReason` is as for an " +
        "authorization.",
      "With `advice`, it is posted whatever the card's status and balance.",
      "With `advice` and `total`, `amount` is all that is paid out. Of a withdrawal that is posted, the difference is posted, without " +
        "another fee: 38 pindebit_authorization_clearing for more, 50 pindebit_reversal for less. After a whole reversal or a clearing, it " +
        "is approved and moves nothing. Without `total`, a second advice is answered `ILLEGAL_TRANSITION`.",
      "An authorization that comes after its advice or its clearing is approved, at most for what was paid. Cash is not paid out again; after a clearing, the fee is " +
        "charged.",
      "Nothing is given back of a withdrawal that is disputed: `ILLEGAL_TRANSITION`.",
      "If the Program has an authorization endpoint, amount and fee are held while it is asked, unless it is an `advice`. The decision " +
        "posts or releases them. A reversal that comes first declines it with `AUTHORIZATION_FINISHED`.",
      "The fee is the parent, and each record names the other. Two notifications are always sent: without a fee, the parent's amount is 0.",
    ],
  },
  fee: {
    example: { cardId, feeType: 2, amount: 100, description: "Monthly fee" },
    when: "A fee is charged.",
    effect: "ledger −amount, available −amount",
    writes: "15 fee_charge: a fee record, no transaction",
    notes: ["Never refused for lack of money or for the card's status."],
  },
  fee_reversal: {
    example: { cardId, feeId: record("fee") },
    when: "A fee is given back in full.",
    effect: "ledger +a, available +a. a is the fee's amount",
    writes: "17 fee_charge_reversal (`transStatus` 3)",
    notes: [
      "The fee stays in the list of fees. The reversal is a transaction.",
      "A fee is reversed once. Then the answer is `ILLEGAL_TRANSITION`.",
    ],
  },
  balance_inquiry: {
    example: { cardId, merchantName: "ATM 12" },
    when: "A cardholder asks an ATM for the card's balance. Invoke the function.",
    effect: none,
    writes: "85 balanceinquiry with amount 0",
    notes: [
      "The answer has `availableBalance`, `ledgerBalance` and `currency` of that moment. A repetition gets the same answer.",
    ],
  },
  chargeback: {
    example: { cardId, transId: record("txn"), amount: 2_400 },
    when: "A cleared purchase or an ATM withdrawal is disputed.",
    effect: "ledger +a, available +a. a is `amount` or the whole transaction; the Program advances it",
    writes:
      "4 authorization_clearing_chargeback with amount 0, and 6 …_provisional_credit. For an ATM withdrawal: 42 pindebit_chargeback and " +
      "44 …_provisional_credit",
    notes: [
      "It must fit into what is neither refunded, reversed nor disputed of the transaction. Otherwise the answer is `ILLEGAL_TRANSITION`.",
      "The answer's `chargebackId` identifies the [dispute](disputes.md), which the API shows as submitted. `disputeId` is the same.",
    ],
  },
  chargeback_outcome: {
    example: { cardId, chargebackId: record("cbk"), status: 2 },
    when: "A dispute moves on or ends.",
    effect: "if lost or reversed: ledger −a, available −a. If represented, won or written off: none",
    writes:
      "a record with amount 0 where no money moves. For a purchase, or for an ATM withdrawal:\n" +
      "  - 1 Represented: 10 authorization_clearing_representment, or 42 pindebit_chargeback\n" +
      "  - 2 Won: 5 authorization_clearing_chargeback_completed, or 43 …_completed\n" +
      "  - 3 Lost: 7 …_provisional_debit, or 45 …_provisional_debit\n" +
      "  - 4 Written off: 9 …_writeoff, or 47 …_writeoff\n" +
      "  - 5 Reversed: 8 …_chargeback_reversal, or 46 …_reversal",
    notes: [
      "If the dispute is won, the network repays the Program's advance. If it is written off, the Program bears the loss.",
      "Where the card has no provisional credit yet, won and written off credit it, and nothing is taken back.",
    ],
  },
  dispute_outcome: {
    example: { cardId, disputeId: record("cbk"), status: "representment" },
    when: "The network takes the next step in a dispute, or decides it. The same as `chargeback_outcome`, for every status.",
    effect:
      "lost, withdrawn, expired: −c on ledger and available, c being the provisional credit. Won without one: +a. Others: none",
    writes:
      "as for `chargeback_outcome`. `pending_customer`, `pre_arbitration`, `arbitration`: nothing. `withdrawn` is Reversed; " +
      "`expired` is 7 …_provisional_debit, or 45",
    notes: [
      "[Disputes](disputes.md) has the steps. A step that the status does not permit is answered `ILLEGAL_TRANSITION`.",
    ],
  },
  ...tokenGuides,
  ...depositGuides,
  ...cardholderGuides,
};
