import { countDecimals, toDecimal } from "../contract/currencies.ts";
import {
  currencyNames,
  EventType,
  FeeType,
  numericCurrency,
  TransactionResult,
  TransactionType,
} from "../contract/enums.ts";
import type { SettlementData, SettlementOriginal } from "../contract/notifications.ts";
import { findTypeFacts } from "../contract/transaction-types.ts";
import type { TransactionDirection } from "../contract/transactions.ts";
import { randomInteger, withoutPrefix } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Fee } from "../transactions/fee.ts";
import { atmFee, newFee } from "../transactions/fee-rules.ts";
import type { Transaction } from "../transactions/transaction.ts";
import {
  dateAndTime,
  decimalNumber,
  type Notification,
  type NotifiedCard,
  newNotificationId,
  notificationPut,
  renderEnvelope,
  toNotification,
  traceNumber,
} from "./notification.ts";

/** A posted transaction; or a fee, which has no merchant and no direction of its own. */
type PostedRecord = Partial<Transaction> &
  Pick<Transaction, "transType" | "transStatus" | "amountMinor" | "description" | "referenceCode"> &
  Pick<Transaction, "transDate" | "createdAt"> & { readonly feeType?: FeeType | undefined };

interface SettlementNotifications {
  /** The event's detail names them. */
  readonly outboxDetail: { readonly notificationIds: readonly string[] };
  /** They need the ledger balance after the entry. */
  readonly writesWithBalance: (ledgerMinor: number) => readonly WriteAction[];
}

/** An ACTTXN for a posting and for its fee. An ATM withdrawal is the child of its fee. */
export function renderSettlements(
  card: NotifiedCard,
  {
    transaction,
    fee,
  }: { readonly transaction?: PostedRecord | undefined; readonly fee?: PostedRecord | undefined },
): SettlementNotifications {
  const feeId = fee && newNotificationId(card.cardId);
  const transactionId = transaction && newNotificationId(card.cardId);
  const isCash = transaction?.transType === TransactionType.pindebit_atm_withdrawal;
  const puts = (facts: Omit<SettlementFacts, "card">) => [
    notificationPut(renderSettlement({ ...facts, card })),
  ];
  return {
    outboxDetail: { notificationIds: [transactionId, feeId].filter((id) => id !== undefined) },
    writesWithBalance: (ledgerMinor) => [
      ...(transaction && transactionId
        ? puts({
            transIdSc: transactionId,
            parentTransIdSc: isCash ? feeId : undefined,
            record: transaction,
            balanceMinor: ledgerMinor + (fee?.amountMinor ?? 0),
          })
        : []),
      ...(fee && feeId ? puts({ transIdSc: feeId, record: fee, balanceMinor: ledgerMinor }) : []),
    ],
  };
}

interface Posted {
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
}

/** The notifications of what an event of the network posts. */
export function notifyPosting(card: NotifiedCard, { transaction, fee }: Posted): SettlementNotifications {
  return renderSettlements(card, { transaction, fee: fee ?? zeroFee(card, transaction) });
}

/** The parent of a withdrawal without a fee. It is only rendered, not posted or stored. */
function zeroFee(card: NotifiedCard, withdrawal: Transaction | undefined): Fee | undefined {
  if (withdrawal?.transType !== TransactionType.pindebit_atm_withdrawal) return undefined;
  const { createdAt, transDate, transId } = withdrawal;
  const charge = { identity: card, at: new Date(createdAt), occurredAt: transDate };
  return newFee(charge, { ...atmFee, amountMinor: 0, relatedTransId: transId });
}

/** A posted transaction or fee, with the ledger balance after it. */
export interface SettlementFacts {
  readonly transIdSc: string;
  /** The TransId_SC of the parent: an ATM withdrawal's fee. */
  readonly parentTransIdSc?: string | undefined;
  readonly card: NotifiedCard;
  readonly record: PostedRecord;
  readonly balanceMinor: number;
}

/** An ACTTXN: the posted amount in the card's currency. */
export function renderSettlement(facts: SettlementFacts): Notification {
  const { transIdSc, parentTransIdSc, card, record, balanceMinor } = facts;
  const numbers = {
    trace: traceNumber("settlement"),
    unique_row_id: randomInteger(10 ** 13, 10 ** 14),
  };
  const payload = settlementPayload(facts, numbers);
  const source = toSourceAmount(record, card);
  const original: SettlementOriginal = { cdcEvent: "ACTTXN", payload };
  const data: SettlementData = {
    ...settlementTexts(record, card),
    unique_row_id: String(numbers.unique_row_id),
    transactionStatus: String(record.transStatus),
    balance: toDecimal(balanceMinor),
    srcAmount: toDecimal(source.srcAmountMinor, countDecimals(source.srcCurrency)),
    trace: String(numbers.trace),
    OriginalDataFromSp: JSON.stringify(original),
  };
  const envelope = renderEnvelope(transIdSc, card, {
    original: parentTransIdSc,
    TransId_Issuer: data.trace,
    TransType: record.transType,
    TransResult: TransactionResult.settlement,
    TransAmount: record.amountMinor,
    TransMerchantName: payload.merchantName,
    TransDate: record.transDate,
    data,
  });
  return toNotification(card.programId, EventType.settlement, envelope);
}

/** The fields that data and payload have in the same form. */
function settlementTexts(record: PostedRecord, card: NotifiedCard) {
  const txn = dateAndTime(record.transDate);
  const post = dateAndTime(record.postDate ?? record.createdAt);
  return {
    MsgType: "ACTTXN",
    txndate: txn.date,
    txntime: txn.time,
    postdate: post.date,
    postime: post.time,
    description: record.description,
    merchantId: record.merchantId ?? "",
    merchantCity: record.merchantCity ?? "",
    merchantCountry: record.merchantCountry ?? "",
    mcc: record.mcc ?? "",
    referenceCode: record.referenceCode,
    txntimestamp: record.transDate,
    term_id: null,
    acctCif: withoutPrefix(card.cardholderId),
    srcCurrency: toSourceAmount(record, card).srcCurrency,
    txnMemo: null,
    source: findTypeFacts(record.transType).isOwn ? "PROGRAM" : "NETWORK",
    txncode: findCode(record),
  } as const;
}

/** The bytes depend on the order of the fields. */
function settlementPayload(
  { card, record, balanceMinor }: SettlementFacts,
  { trace, unique_row_id }: Pick<SettlementOriginal["payload"], "trace" | "unique_row_id">,
): SettlementOriginal["payload"] {
  const { transType, transStatus, amountMinor } = record;
  const direction: TransactionDirection = record.type ?? "DR";
  const source = toSourceAmount(record, card);
  const { group, isReversal } = findTypeFacts(transType);
  return {
    ...settlementTexts(record, card),
    unique_row_id,
    transactionStatus: transStatus,
    balance: decimalNumber(balanceMinor),
    srcAmount: decimalNumber(source.srcAmountMinor, countDecimals(source.srcCurrency)),
    trace,
    merchantName: record.merchantName ?? record.description,
    amount: decimalNumber(amountMinor),
    type: direction,
    txnGroup: group ?? "PURCHASE",
    currencyCode: numericCurrency[card.currency],
    currencyDesc: currencyNames[card.currency],
    org_or_rev: isReversal ? "R" : "O",
    points: 0,
    rec_status: "A",
    poieligible: direction === "DR" && group === undefined,
    transactionStatusName: "POSTED",
    cardnum: card.maskedCardNumber,
    acctnum: withoutPrefix(card.cardId),
  };
}

/** Without FX data the two amounts and currencies are the same. */
function toSourceAmount(
  { srcAmountMinor, srcCurrency, amountMinor }: PostedRecord,
  { currency }: NotifiedCard,
) {
  return srcAmountMinor === undefined || srcCurrency === undefined
    ? { srcAmountMinor: amountMinor, srcCurrency: numericCurrency[currency] }
    : { srcAmountMinor, srcCurrency };
}

/** An ATM withdrawal and its fee have their own codes; all others have that of their type. */
function findCode(record: PostedRecord): string {
  if (record.transType === TransactionType.pindebit_atm_withdrawal) return "302";
  return record.feeType === FeeType.atm ? "113" : String(record.transType);
}
