import * as z from "zod";

type ValueOf<T> = T[keyof T];

/** The specification's enums. `transStatus` has two: `TransactionStatus`, `TransferStatus`. */

export const Currency = { usd: 0, cad: 1, gbp: 2, eur: 3 } as const;
export type Currency = ValueOf<typeof Currency>;

/** ISO 4217 numeric code of each card currency. */
export const numericCurrency = {
  [Currency.usd]: "840",
  [Currency.cad]: "124",
  [Currency.gbp]: "826",
  [Currency.eur]: "978",
} as const satisfies Record<Currency, string>;
export const currencyNames = {
  [Currency.usd]: "USD",
  [Currency.cad]: "CAD",
  [Currency.gbp]: "GBP",
  [Currency.eur]: "EUR",
} as const satisfies Record<Currency, string>;

export const Gender = { male: 0, female: 1, other: 2 } as const;

export const KycFlow = { hosted: 0, token: 1 } as const;

export const CardholderStatus = {
  pending: 0,
  approved: 1,
  complianceDecline: 2,
  underReview: 3,
  draft: 4,
  deleted: 5,
  error: 6,
  adminDecline: 7,
} as const;
export type CardholderStatus = ValueOf<typeof CardholderStatus>;

/** The outcomes that the compliance provider can report. */
export const KycStatus = {
  approved: CardholderStatus.approved,
  complianceDecline: CardholderStatus.complianceDecline,
  error: CardholderStatus.error,
} as const;
export type KycStatus = ValueOf<typeof KycStatus>;

/** In the sandbox, the Cardholder can also stay Pending until the outcome is decided. */
export const SandboxKycStatus = { pending: CardholderStatus.pending, ...KycStatus } as const;

/** Whether the issuance was approved: `cardStatus`. */
export const CardApprovalStatus = { pending: 0, approved: 1, declined: 2 } as const;
export type CardApprovalStatus = ValueOf<typeof CardApprovalStatus>;

export const IssuanceDecision = {
  approved: CardApprovalStatus.approved,
  declined: CardApprovalStatus.declined,
} as const;
export type IssuanceDecision = ValueOf<typeof IssuanceDecision>;

/** Whether the operator must approve each issuance. */
export const IssuanceApproval = { automatic: 0, manual: 1 } as const;

/** Whether the card can be used: `issuerCardStatus`. */
export const CardStatus = { pending: 0, active: 1, onHold: 2, closed: 3, notActivated: 4 } as const;
export type CardStatus = ValueOf<typeof CardStatus>;

/** A Card with one of these is approved, and not closed. */
export const inUse: readonly CardStatus[] = [CardStatus.active, CardStatus.onHold, CardStatus.notActivated];

export const SettableCardStatus = { active: CardStatus.active, onHold: CardStatus.onHold } as const;

export const CardForm = { virtual: 0, physical: 1 } as const;
export type CardForm = ValueOf<typeof CardForm>;

export const DesignStatus = { pending: 0, approved: 1, rejected: 2 } as const;
export type DesignStatus = ValueOf<typeof DesignStatus>;

/** `transStatus` of transactions and fees. */
export const TransactionStatus = { pending: 1, cleared: 2, completion: 3, declined: 4, error: 5 } as const;
export type TransactionStatus = ValueOf<typeof TransactionStatus>;

/** `transStatus` of transfers and bank deposits. */
export const TransferStatus = { pending: 0, approved: 1, declined: 2, partial: 3, error: 4 } as const;
export type TransferStatus = ValueOf<typeof TransferStatus>;

/** Reversed: before it cleared. Returned: after it cleared. */
export const DepositStatus = { pending: 0, cleared: 1, reversed: 2, returned: 3 } as const;
export type DepositStatus = ValueOf<typeof DepositStatus>;

/** A deposit with one of these waits in suspense for the operator. */
export const OpenSuspenseStatus = { pending: 0, cleared: 1 } as const;
export const SuspenseStatus = { ...DepositStatus, assigned: 4 } as const;
export type SuspenseStatus = ValueOf<typeof SuspenseStatus>;

/** Why a deposit is in suspense. */
export const SuspenseReason = z.enum([
  "CARD_CLOSED",
  "CARD_NOT_APPROVED",
  "ACCOUNT_UNKNOWN",
  "CURRENCY_MISMATCH",
  // A bank has reported it before, with other content.
  "POSSIBLE_DUPLICATE",
  // Which payments a bank's entry is of cannot be told.
  "ENTRY_UNCLEAR",
]);
export type SuspenseReason = z.output<typeof SuspenseReason>;

/** Where an input came from that was refused and is kept. */
export const RefusedPort = z.enum(["network", "clearing", "bank", "compliance", "processor", "custodian"]);
export type RefusedPort = z.output<typeof RefusedPort>;

export const DestinationType = { wallet: 0, card: 1 } as const;
export type DestinationType = ValueOf<typeof DestinationType>;

export const TransactionType = {
  authorization: 1,
  authorization_advice: 2,
  authorization_clearing: 3,
  authorization_clearing_chargeback: 4,
  authorization_clearing_chargeback_completed: 5,
  authorization_clearing_chargeback_provisional_credit: 6,
  authorization_clearing_chargeback_provisional_debit: 7,
  authorization_clearing_chargeback_reversal: 8,
  authorization_clearing_chargeback_writeoff: 9,
  authorization_clearing_representment: 10,
  authorization_incremental: 11,
  authorization_reversal: 12,
  authorization_reversal_issuerexpiration: 13,
  authorization_standin: 14,
  fee_charge: 15,
  fee_charge_pending: 16,
  fee_charge_reversal: 17,
  gpa_credit: 18,
  gpa_credit_authorization: 19,
  gpa_credit_authorization_reversal: 20,
  gpa_credit_issueroperator: 21,
  gpa_credit_networkload: 22,
  gpa_credit_networkload_reversal: 23,
  gpa_credit_pending: 24,
  gpa_credit_pending_reversal: 25,
  gpa_credit_reversal: 26,
  gpa_debit: 27,
  gpa_debit_issueroperator: 28,
  gpa_debit_reversal: 29,
  msa_credit: 30,
  msa_credit_pending: 31,
  msa_credit_pending_reversal: 32,
  msa_credit_reversal: 33,
  msa_debit: 34,
  pindebit: 35,
  pindebit_atm_withdrawal: 36,
  pindebit_authorization: 37,
  pindebit_authorization_clearing: 38,
  pindebit_authorization_reversal_issuerexpiration: 39,
  pindebit_balanceinquiry: 40,
  pindebit_cashback: 41,
  pindebit_chargeback: 42,
  pindebit_chargeback_completed: 43,
  pindebit_chargeback_provisional_credit: 44,
  pindebit_chargeback_provisional_debit: 45,
  pindebit_chargeback_reversal: 46,
  pindebit_chargeback_writeoff: 47,
  pindebit_refund: 48,
  pindebit_refund_reversal: 49,
  pindebit_reversal: 50,
  pindebit_transfer: 51,
  programreserve_credit: 52,
  programreserve_debit: 53,
  refund: 54,
  token_activation_request: 55,
  token_advice: 56,
  transaction_unknown: 57,
  transfer_peer: 58,
  transfer_program: 59,
  activate_account: 60,
  adjustment_advice: 61,
  balance_adjustment: 62,
  balance_reversal: 63,
  clear_negative_balance: 64,
  close_account: 65,
  create_account: 66,
  create_purse: 67,
  credit_adjustment: 68,
  embossing_pending: 69,
  foreign_exchange_fee: 70,
  mark_fraudulent: 71,
  memo: 72,
  overwrite_card_status: 73,
  pin_change: 74,
  pin_query: 75,
  refund_advice: 76,
  authorization_declined: 77,
  remove_fraud: 78,
  authorization_reversal_advice: 79,
  card_load: 80,
  pindebit_cashwithdrawal: 81,
  pindebit_preauth: 82,
  authorizationexpiry: 83,
  returnreversal: 84,
  balanceinquiry: 85,
  cashout: 86,
  refund_authorization: 87,
  card_unload: 88,
  authorization_reversal_settled: 89,
  other: 99,
} as const;
export type TransactionType = ValueOf<typeof TransactionType>;

export const FeeType = { issuance: 1, maintenance: 2, atm: 3, crossBorder: 4, service: 5 } as const;
export type FeeType = ValueOf<typeof FeeType>;

export const ChargebackDecision = { represented: 1, won: 2, lost: 3, writtenOff: 4, reversed: 5 } as const;
export type ChargebackDecision = ValueOf<typeof ChargebackDecision>;

/** The notification types that an endpoint can subscribe to. */
export const EventType = {
  hold: 1,
  settlement: 2,
  depositPending: 3,
  depositCleared: 4,
  /** Only for endpoints that name it. */
  dispute: 5,
  depositReturned: 6,
  /** From 10 on only for endpoints that name them: `chosen-notifications.ts` has their bodies. */
  cardholderCreated: 10,
  cardholderStatusChanged: 11,
  cardholderUpdated: 12,
  cardholderBlocked: 13,
  cardholderUnblocked: 14,
  cardCreated: 20,
  cardStatusChanged: 21,
  cardBlocked: 22,
  cardUnblocked: 23,
  cardShippingChanged: 24,
  cardExpiring: 25,
  cardReplaced: 26,
  plasticChanged: 27,
  transferCompleted: 30,
  transferDeclined: 31,
  cardSwept: 32,
  accountDepositPending: 40,
  accountDepositCleared: 41,
  accountDepositReversed: 42,
  accountDepositReturned: 43,
  authorizationDeclined: 50,
  authorizationReleased: 51,
  tokenRequested: 60,
  tokenStatusChanged: 61,
  authenticationRequested: 70,
  authenticationCompleted: 71,
  payoutChanged: 80,
  pullChanged: 81,
  expectationChanged: 82,
  externalAccountChanged: 83,
  topUpFailed: 84,
  balanceChanged: 90,
  reportFinished: 95,
  bulkFinished: 96,
} as const;
export type EventType = ValueOf<typeof EventType>;

/** The specification calls the first two HOLD and ACTTXN. */
export const TransactionResult = {
  hold: 1,
  settlement: 3,
  depositPending: 11,
  depositCleared: 12,
  depositReturned: 13,
  dispute: 21,
} as const;

export const TicketPriority = { critical: 1, high: 2, medium: 3, low: 4, informational: 5 } as const;

/** What is reported of a plastic that is replaced. */
export const ReplacementReason = z.enum(["lost", "stolen", "damaged"]);
export type ReplacementReason = z.output<typeof ReplacementReason>;

/** Why a plastic was made. */
export const PlasticReason = z.enum(["issued", ...ReplacementReason.options, "renewed"]);
export type PlasticReason = z.output<typeof PlasticReason>;

export const PlasticState = z.enum(["pending", "active", "stopped", "replaced", "closed"]);
export type PlasticState = z.output<typeof PlasticState>;
