import { EventType, FeeType, TransactionResult, TransactionType } from "../../contract/enums.ts";
import type { SettlementData, SettlementOriginal, TransactionGroup } from "../../contract/notifications.ts";
import type { TransactionDirection } from "../../contract/transactions.ts";
import { randomInteger, withoutPrefix } from "../../platform/id.ts";
import type { Fee } from "../transactions/fee.ts";
import { numericCurrency, type Transaction } from "../transactions/transaction.ts";
import {
  currencyNames,
  dateAndTime,
  decimalNumber,
  decimalText,
  type NotifiedCard,
  renderEnvelope,
  traceNumber,
} from "./envelope.ts";
import { type Notification, toNotification } from "./notification.ts";

/** A posted transaction or fee, with the ledger balance after it. */
export interface SettlementFacts {
  readonly transIdSc: string;
  /** The TransId_SC of the parent: an ATM withdrawal's fee. */
  readonly original?: string | undefined;
  readonly card: NotifiedCard;
  readonly record: Transaction | Fee;
  readonly balanceMinor: number;
}

const groups: Partial<Record<TransactionType, TransactionGroup>> = {
  [TransactionType.authorization_clearing_chargeback_provisional_credit]: "CREDITVOUCHER",
  [TransactionType.authorization_clearing_chargeback_provisional_debit]: "CREDITVOUCHER",
  [TransactionType.authorization_clearing_chargeback_reversal]: "CREDITVOUCHER",
  [TransactionType.pindebit_chargeback_provisional_credit]: "CREDITVOUCHER",
  [TransactionType.pindebit_chargeback_provisional_debit]: "CREDITVOUCHER",
  [TransactionType.pindebit_chargeback_reversal]: "CREDITVOUCHER",
  [TransactionType.fee_charge]: "FEES",
  [TransactionType.fee_charge_reversal]: "FEES",
  [TransactionType.pindebit_atm_withdrawal]: "CASHADVANCE",
  [TransactionType.refund]: "CREDITVOUCHER",
  [TransactionType.returnreversal]: "CREDITVOUCHER",
};

/** What takes back something that was posted before. */
const reversals: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization_clearing_chargeback_provisional_debit,
  TransactionType.authorization_clearing_chargeback_reversal,
  TransactionType.pindebit_chargeback_provisional_debit,
  TransactionType.pindebit_chargeback_reversal,
  TransactionType.fee_charge_reversal,
  TransactionType.returnreversal,
]);

/** An ACTTXN: the amount as it was finally posted, in the card's currency. */
export function renderSettlement(facts: SettlementFacts): Notification {
  const { transIdSc, original: parent, card, record, balanceMinor } = facts;
  const { transType, amountMinor, referenceCode, description, transDate } = record;
  const transaction = "transId" in record ? record : undefined;
  const merchantName = transaction?.merchantName ?? description;
  const currencyCode = numericCurrency[card.currency];
  const { srcAmountMinor, srcCurrency } = sourceOf(record, currencyCode);
  const txn = dateAndTime(transDate);
  const post = dateAndTime(record.postDate ?? record.createdAt);
  const trace = traceNumber("settlement");
  const rowId = randomInteger(10 ** 13, 10 ** 14);
  const direction: TransactionDirection = transaction?.type ?? "DR";
  const texts = {
    MsgType: "ACTTXN",
    txndate: txn.date,
    txntime: txn.time,
    postdate: post.date,
    postime: post.time,
    description,
    merchantId: transaction?.merchantId ?? "",
    merchantCity: transaction?.merchantCity ?? "",
    merchantCountry: transaction?.merchantCountry ?? "",
    mcc: transaction?.mcc ?? "",
    referenceCode,
    txntimestamp: transDate,
    term_id: null,
    acctCif: withoutPrefix(card.cardholderId),
    srcCurrency,
    txnMemo: null,
    source: "NETWORK",
    txncode: codeOf(record),
  } as const;
  const original: SettlementOriginal = {
    cdcEvent: "ACTTXN",
    payload: {
      ...texts,
      unique_row_id: rowId,
      transactionStatus: record.transStatus,
      balance: decimalNumber(balanceMinor),
      srcAmount: decimalNumber(srcAmountMinor),
      trace,
      merchantName,
      amount: decimalNumber(amountMinor),
      type: direction,
      txnGroup: groups[transType] ?? "PURCHASE",
      currencyCode,
      currencyDesc: currencyNames[card.currency],
      org_or_rev: reversals.has(transType) ? "R" : "O",
      points: 0,
      rec_status: "A",
      poieligible: direction === "DR" && groups[transType] === undefined,
      transactionStatusName: "POSTED",
      cardnum: card.maskedCardNumber,
      acctnum: withoutPrefix(card.cardId),
    },
  };
  const data: SettlementData = {
    ...texts,
    unique_row_id: String(rowId),
    transactionStatus: String(record.transStatus),
    balance: decimalText(balanceMinor),
    srcAmount: decimalText(srcAmountMinor),
    trace: String(trace),
    OriginalDataFromSp: JSON.stringify(original),
  };
  const envelope = renderEnvelope(transIdSc, card, {
    original: parent,
    TransId_Issuer: data.trace,
    TransType: transType,
    TransResult: TransactionResult.settlement,
    TransAmount: amountMinor,
    TransMerchantName: merchantName,
    TransDate: transDate,
    data,
  });
  return toNotification(card.programId, EventType.settlement, envelope);
}

/** Without FX data the two amounts and currencies are the same. */
function sourceOf({ srcAmountMinor, srcCurrency, amountMinor }: Transaction | Fee, own: string) {
  return srcAmountMinor === undefined || srcCurrency === undefined
    ? { srcAmountMinor: amountMinor, srcCurrency: own }
    : { srcAmountMinor, srcCurrency };
}

/** An ATM withdrawal and its fee have codes of their own; everything else has that of its type. */
function codeOf(record: Transaction | Fee): string {
  if (record.transType === TransactionType.pindebit_atm_withdrawal) return "302";
  return "feeType" in record && record.feeType === FeeType.atm ? "113" : String(record.transType);
}
