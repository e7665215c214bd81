import * as z from "zod";
import { currencySchema, transactionStatusSchema } from "./enums.ts";
import { amount, id, integerEnum, timestamp } from "./primitives.ts";

/** Every transaction type of the specification, by its name. */
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
export type TransactionType = (typeof TransactionType)[keyof typeof TransactionType];

export const transactionTypeSchema = integerEnum(Object.values(TransactionType));

/** 1 issuance, 2 maintenance, 3 ATM and cash advance, 4 cross-border and FX, 5 other service. */
export const FeeType = { issuance: 1, maintenance: 2, atm: 3, crossBorder: 4, service: 5 } as const;
export type FeeType = (typeof FeeType)[keyof typeof FeeType];

export const feeTypeSchema = integerEnum([1, 2, 3, 4, 5]);

/** DR takes money from the card, CR puts money on it. */
const transactionDirection = z.enum(["DR", "CR"]);
export type TransactionDirection = z.output<typeof transactionDirection>;

export const AuthorizationDeclineReason = z.enum([
  "INSUFFICIENT_FUNDS",
  "CARD_ON_HOLD",
  "CARD_CLOSED",
  "CARD_NOT_ACTIVATED",
  "CARD_PENDING",
  "CARD_BLOCKED",
  "CARD_EXPIRED",
  /** An increment of an authorization that was cleared with `final`, reversed, expired or declined. */
  "AUTHORIZATION_FINISHED",
]);
export type AuthorizationDeclineReason = z.output<typeof AuthorizationDeclineReason>;

/** Amounts in minor units. What neither adds to a balance nor takes from it has the amount 0. */
export const TransactionsViewResponse = z.object({
  transId: z.string(),
  /** Absent on an aggregate of more than one card. */
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  transType: transactionTypeSchema,
  transStatus: transactionStatusSchema,
  type: transactionDirection,
  amount,
  currency: currencySchema,
  /** What the merchant billed, in hundredths of `srcCurrency`; absent where the network did not tell it. */
  srcAmount: amount.optional(),
  /** ISO 4217 numeric. Equal to the card's where nothing was converted. */
  srcCurrency: z.string().optional(),
  merchantName: z.string().optional(),
  mcc: z.string().optional(),
  referenceCode: z.string().optional(),
  description: z.string(),
  /** Why the network was answered no; declines only. */
  declineReason: AuthorizationDeclineReason.optional(),
  transDate: timestamp,
  postDate: timestamp.optional(),
  dateCreated: timestamp,
  isAggregate: z.boolean(),
});
export type TransactionsViewResponse = z.output<typeof TransactionsViewResponse>;

export const FeesViewResponse = z.object({
  feeId: id("fee"),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  feeType: feeTypeSchema,
  transStatus: transactionStatusSchema,
  amount,
  currency: currencySchema,
  /** The transaction that the fee was charged for. */
  relatedTransId: id("transaction").optional(),
  description: z.string(),
  dateCreated: timestamp,
});
export type FeesViewResponse = z.output<typeof FeesViewResponse>;
