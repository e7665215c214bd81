import type { ProcessorResult } from "../../../shared/contract/processor.ts";

/** Every field of an event. `kind.field` is for a field that means something else in one kind. */
export const fieldNotes: Readonly<Record<string, string>> = {
  eventId: "your unique id of the event, within the Program",
  programId: "the Program of the card, wallet or Cardholder",
  kind: "the kind of event",
  occurredAt: "when it happened, ISO 8601 UTC with milliseconds. Default: now",
  cardId: "the card",
  authorizationId: "your reference of the authorization. All its events carry the same",
  amount: "minor units of the account's currency",
  "deposit_returned.amount": "what is returned of it. Default: all that is left",
  partialApprovalSupported: "whether the terminal accepts less than `amount`. Default: false",
  entryMode: "how the merchant got the card's data",
  similarTo:
    "where ids are acquirer, reference, trace and time, with dots between them: if nothing has the `id`, a `message` of the Card is meant that differs from it in its time (a repetition, by one of these `keys`), or in its reference",
  message:
    "of a message that may be sent again with another time: `key` is what both have (without it, none is known as a repetition), `id` the part of the ids that has the time, `at` when it was sent. One with `isRepeated` gets the result of the first with its `key`, of up to 24 hours before",
  plasticId:
    "the number and expiry of the Card that was used. Default: the active one, or else the newest. Of what is declined or approved, one that does not exist is answered `NOT_FOUND`; what settles, settles",
  anyOfNumber: "of `plasticId` only the number is known: the active plastic with the same one is as good",
  tokenId: "the digital wallet token that was used in place of the number, or that the event is about",
  authenticationId: "the 3-D Secure authentication that the payer made for it",
  billingAddress:
    "the address that the merchant sent: `line1`, `postalCode`, and `isHouseNumber` where `line1` is the number alone. It is compared with the Cardholder's, and not kept",
  verification:
    "how card, user and terminal were verified, as far as the sender knows: `addressLine`, `postalCode`, `cvc`, `expiry`, `pin`, `threeDS`, `entryCapability`, `terminalId`, `wallet`, `recurring`, `storedCredential`",
  unread:
    "what the network sent, and cannot be read. A control that has a list of it declines, whether it allows or blocks",
  billingCurrency:
    "ISO 4217 numeric code of `amount`. If it is not the card's currency, the answer is `ILLEGAL_TRANSITION`",
  failedCheck:
    "a check that the sender has made, and that failed: the platform declines for it, records it, and answers it as `declineReason`",
  withBalances:
    "whether the answer to an approval has `availableBalance`, `ledgerBalance` and `currency`, after the event",
  requestHash:
    "what a repetition has too. An event with the same `eventId` and another one is answered `ILLEGAL_TRANSITION`",
  lastAttempt: "if the authorization is unknown, `NOT_FOUND` is the answer to all repetitions too",
  total: "`amount` is all that is authorized from now on, not an addition",
  "authorization_reversal.total": "`amount` is what stays authorized, not what is released",
  "atm_withdrawal.total": "of an `advice`: `amount` is all that is paid out from now on, not an addition",
  mayBeDone:
    "if nothing is left to reverse, the event is applied with `amount` 0, instead of refused. What is left is what was settled above the `total`",
  incrementEventId:
    "the `eventId` of an increment: releases what that was approved for, in place of `amount`, and nothing if it was declined",
  originalEventId:
    "the `eventId` that `authorizationId` belongs to. If that was an increment, it alone is reversed: `authorizationId` is its `incrementId`, and `total` is about it",
  precedingEventId:
    "the `eventId` that `authorizationId` belongs to, where that may be an increment or a posting: its authorization is meant. Until it has come, the answer is `NOT_FOUND`",
  incrementId:
    "your reference of the increment, with which a reversal may name it (`originalEventId`). One that was reversed before it came is declined with `AUTHORIZATION_FINISHED`",
  withFee: "after the whole reversal of an ATM withdrawal, its fee is reversed too",
  ofPosted:
    "reverses what one message has posted. A purchase is refunded. Until it is posted, the answer is `NOT_FOUND`",
  "atm_withdrawal.authorizationId":
    "your reference. An `authorization_reversal` with it takes the withdrawal back",
  advice: "the network has already approved: the platform posts it without a decision",
  standIn: "the network approved on the platform's behalf",
  final: "whether this is the authorization's last clearing",
  merchantName: "the merchant's name",
  mcc: "ISO 18245 merchant category",
  merchantId: "the merchant's id at its acquirer",
  merchantCity: "the merchant's city",
  merchantCountry: "ISO 3166-1 alpha-2",
  srcAmount:
    "the billed amount, in minor units of `srcCurrency`. If that is the card's currency, `amount` counts",
  srcCurrency: "ISO 4217 numeric code. Default: the card's currency",
  interchange:
    "what the Program earns with it, in minor units of the card's currency; negative for what it pays. Default: none is booked",
  "authorization_reversal.interchange": "of what is given back of a posting. Default: none is booked",
  referenceCode:
    "globally unique reference of the settlement, not in the form of an id of the platform. Default: the `transId`",
  description: "the text on the statement. Default: a text for the transaction's type",
  transId: "the transaction, from its event's answer",
  originalTransId: "the purchase or withdrawal that is refunded, of which that much is not disputed any more",
  feeAmount: "minor units. Default: the fee in the Program's schedule",
  feeType: "1 issuance, 2 maintenance, 3 ATM and cash advance, 4 cross-border and FX, 5 other service",
  relatedTransId: "the transaction that the fee is charged for",
  feeId: "the fee, from its event's answer",
  chargebackId: "the dispute. Default: a new one",
  "chargeback_outcome.chargebackId": "the dispute, from the chargeback's answer",
  disputeId: "the dispute, from the chargeback's answer or the API",
  "dispute_outcome.status":
    "`pending_customer`, `representment`, `pre_arbitration`, `arbitration`, `won`, `lost`, `withdrawn` or `expired`",
  "chargeback_outcome.status": "1 Represented, 2 Won, 3 Lost, 4 Written off, 5 Reversed",
  externalAccountId: "the external account that was checked",
  checkId: "of the request (`account.check`). Default: the verification under way",
  "account_checked.outcome": "whether the account is the holder's",
  "account_checked.name": "with `close_match`: how the bank writes the name",
  sessionId: "of the request (`kyc.requested`). Default: the submission under way",
  "kyc_outcome.status": "1 Approved, 2 Compliance Decline, 6 Error",
  cardStatus: "1 Approved, 2 Declined",
  "card_shipping.status": "where the card is",
  trackingNumber: "the carrier's number of the shipment. Default: unchanged",
  carrier: "who carries it. Default: unchanged",
  cardholderId: "the Cardholder",
  depositId: "the deposit. Default for a new deposit: a new one",
  accountType: "0: `accountId` is a walletId, 1: it is a cardId",
  accountId: "the wallet or card that receives the money",
  channel: "how the money arrives",
  chain: "the blockchain",
  asset: "the digital asset",
  txHash: "the blockchain transaction",
  reference: "the text by which the sender named the wallet or card. Deposits show it",
  currency: "ISO 4217 code of the amount. Default: the account's. Another one puts the deposit into suspense",
  challengeId: "the challenge. Default: a new one",
  "three_ds_completion.challengeId": "the challenge, from its event's answer",
  expiresInSeconds: "how long the code is valid",
  code: "the code that the Cardholder entered",
  network: "the card network that makes the token",
  wallet: "who keeps the token",
  requestorId: "the network's id of the wallet or merchant",
  requestorName: "its name",
  tokenReference: "the network's id of the token. One that exists gets the first answer",
  tokenLastFour: "the last four digits of the token's number",
  device: "the device that the token is for",
  risk: "how sure the wallet is: `green`, `yellow` or `red`",
  event: "what the wallet has done",
};

type Applied = Extract<ProcessorResult, { outcome: "applied" }>;

/** Every field of the answer to an event that was applied. */
export const answerNotes: Readonly<Record<Exclude<keyof Applied, "outcome">, string>> = {
  approved: "authorizations, increments, ATM withdrawals: whether any of the amount is approved",
  declineReason: "why it was declined",
  stoppedFor: "`lost` or `stolen`, where the plastic is stopped",
  controlId: "the spend control that declined it",
  decidedBy: "where the Program has an authorization endpoint: `platform`, `receiver` or `stand_in`",
  amount: "the approved, cleared or moved amount in minor units; 0 for a decline",
  authorizationId: "the authorization",
  transId: "the transaction",
  avs: "where the merchant sent an address: `Y` both fit, `A` the line, `Z` the postal code, `N` none, `U` nothing to compare",
  feeId: "the fee",
  availableBalance:
    "balance inquiries, and approvals of events `withBalances`: the card's balance, as `ledgerBalance` and `currency`",
  ledgerBalance: "see `availableBalance`",
  currency: "see `availableBalance`",
  chargebackId: "the dispute",
  disputeId: "the dispute",
  depositId: "the deposit",
  suspenseId: "a deposit that no card or wallet can take: the operator assigns or returns it under this id",
  challengeId: "challenges: the id for the Cardholder's code",
  expiresAt: "challenges: when the code expires",
  authenticated: "completions: whether the code was right and in time",
  authenticationFailure: "completions: why not",
  tokenId: "token requests, notices and passcodes: the token",
  tokenState: "the token's state: of a request, as it was decided",
  tokenOutcome: "token requests: `approved`, `step_up` or `declined`",
};
