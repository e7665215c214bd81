import { countDecimals, toDecimal } from "../contract/currencies.ts";
import { currencyNames, EventType, FeeType, TransactionResult, TransactionType } from "../contract/enums.ts";
import type {
  HoldData,
  HoldOriginal,
  SettlementData,
  SettlementOriginal,
  TransactionGroup,
} from "../contract/notifications.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { TransactionDirection } from "../contract/transactions.ts";
import { timestamp } from "../platform/clock.ts";
import { idTime, newId, randomInteger, withoutPrefix } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { atmFee, type Fee, newFee, numericCurrency, type Transaction } from "../transactions/transaction.ts";
import {
  dateAndTime,
  decimalNumber,
  type Notification,
  type NotifiedCard,
  notificationPut,
  renderEnvelope,
  toNotification,
  traceNumber,
} from "./notification.ts";

interface CardNotifications {
  /** The event's detail names them; empty if there are none. */
  readonly outboxDetail: { readonly notificationIds?: readonly string[] };
  readonly writes: readonly WriteAction[];
  /** Writes that need the ledger balance after the entry. */
  readonly writesWithBalance?: (ledgerMinor: number) => readonly WriteAction[];
}

interface NotifiedDetail {
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
  readonly placedMinor?: number | undefined;
}

const none: CardNotifications = { outboxDetail: {}, writes: [] };

/**
 * A HOLD for each placed hold, an ACTTXN for each posted transaction and fee. An ATM withdrawal has
 * two: it is the child of its fee, whose amount may be 0.
 */
export function renderCardNotifications(
  kind: OutboxEvent["kind"] | undefined,
  card: NotifiedCard,
  { transaction, fee, placedMinor = 0 }: NotifiedDetail,
): CardNotifications {
  switch (kind) {
    case "hold.placed": {
      if (!transaction || placedMinor <= 0) return none;
      const transIdSc = newId("notification");
      const writes = [notificationPut(renderHold({ transIdSc, card, transaction }))];
      return { outboxDetail: { notificationIds: [transIdSc] }, writes };
    }
    case "transaction.posted":
    case "fee.posted":
    case "transfer.completed":
    case "card.swept":
    case "card.debt_settled":
      return renderSettlements(card, transaction, fee);
    default:
      return none;
  }
}

function renderSettlements(
  card: NotifiedCard,
  transaction: Transaction | undefined,
  charged: Fee | undefined,
): CardNotifications {
  const isCash = transaction?.transType === TransactionType.pindebit_atm_withdrawal;
  const fee = charged ?? (isCash ? zeroFee(card, transaction) : undefined);
  const feeId = fee && newId("notification");
  const transactionId = transaction && newId("notification");
  const settlementPut = (facts: Omit<SettlementFacts, "card">) =>
    notificationPut(renderSettlement({ ...facts, card }));
  return {
    outboxDetail: { notificationIds: [transactionId, feeId].filter((id) => id !== undefined) },
    writes: [],
    writesWithBalance: (ledgerMinor) => {
      const balanceMinor = ledgerMinor + (fee?.amountMinor ?? 0);
      const parentTransIdSc = isCash ? feeId : undefined;
      const writes: WriteAction[] = [];
      if (transaction && transactionId)
        writes.push(
          settlementPut({
            transIdSc: transactionId,
            parentTransIdSc,
            record: transaction,
            balanceMinor,
          }),
        );
      if (fee && feeId)
        writes.push(settlementPut({ transIdSc: feeId, record: fee, balanceMinor: ledgerMinor }));
      return writes;
    },
  };
}

/** The parent of a withdrawal without a fee. It is only rendered, not posted or stored. */
function zeroFee(card: NotifiedCard, { createdAt, transDate, transId }: Transaction): Fee {
  const charge = { identity: card, at: new Date(createdAt), occurredAt: transDate };
  return newFee(charge, { ...atmFee, amountMinor: 0, relatedTransId: transId });
}

export interface HoldFacts {
  readonly transIdSc: string;
  readonly card: NotifiedCard;
  readonly transaction: Pick<Transaction, "transType" | "amountMinor" | "transDate">;
}

const windowMs = 24 * 3_600_000;
/** The ISO 8583 processing code of a purchase, and the message types of events that place holds. */
const purchase = { text: "00", number: 0 };
const messageTypes: Partial<Record<number, string>> = {
  [TransactionType.authorization]: "0100",
  [TransactionType.authorization_advice]: "0120",
  [TransactionType.authorization_incremental]: "0100",
  [TransactionType.authorization_standin]: "0120",
};
const descriptions: Partial<Record<number, string>> = {
  [TransactionType.authorization]: "Authorization",
  [TransactionType.authorization_advice]: "Authorization Advice",
  [TransactionType.authorization_incremental]: "Incremental Authorization",
  [TransactionType.authorization_standin]: "Stand-in Authorization",
};

/** A HOLD: the authorized amount in the card's currency. */
export function renderHold({ transIdSc, card, transaction }: HoldFacts): Notification {
  const { transType, amountMinor, transDate } = transaction;
  const placedAt = idTime(transIdSc);
  const { date: hdate, time: htime } = dateAndTime(timestamp(placedAt));
  const { date: edate, time: etime } = dateAndTime(timestamp(new Date(placedAt.getTime() + windowMs)));
  const trace = traceNumber("hold");
  const msgtype = messageTypes[transType] ?? "0100";
  const texts = holdTexts(transaction, card, hdate, edate);
  const original: HoldOriginal = {
    cdcEvent: "HOLD",
    payload: {
      ...texts,
      trace,
      txntype: purchase.number,
      msgtype: Number(msgtype),
      amount: decimalNumber(amountMinor),
      htime: Number(htime),
      etime: Number(etime),
    },
  };
  const data: HoldData = {
    ...texts,
    trace: String(trace),
    txntype: purchase.text,
    msgtype,
    amount: toDecimal(amountMinor),
    htime,
    etime,
    OriginalDataFromSp: JSON.stringify(original),
  };
  const envelope = renderEnvelope(transIdSc, card, {
    TransId_Issuer: data.trace,
    TransType: transType,
    TransResult: TransactionResult.hold,
    TransAmount: amountMinor,
    TransMerchantName: "",
    TransDate: transDate,
    data,
  });
  return toNotification(card.programId, EventType.hold, envelope);
}

/** The fields that data and payload have in the same form. */
function holdTexts(
  { transType, transDate }: HoldFacts["transaction"],
  card: NotifiedCard,
  hdate: string,
  edate: string,
) {
  const description = descriptions[transType] ?? "Authorization";
  return {
    MsgType: "HOLD",
    cif: withoutPrefix(card.cardholderId),
    account: withoutPrefix(card.cardId),
    transdate: dateAndTime(transDate).date,
    authId: String(randomInteger(100_000, 1_000_000)),
    cardnum: card.maskedCardNumber,
    status: "ACTIVE",
    currency: numericCurrency[card.currency],
    hdate,
    edate,
    txncode: String(transType),
    txnExtDesc: description,
    txnIntDesc: description.toUpperCase(),
    statusId: "1",
  } as const;
}

/** A posted transaction or fee, with the ledger balance after it. */
export interface SettlementFacts {
  readonly transIdSc: string;
  /** The TransId_SC of the parent: an ATM withdrawal's fee. */
  readonly parentTransIdSc?: string | undefined;
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
  [TransactionType.pindebit_authorization_clearing]: "CASHADVANCE",
  [TransactionType.pindebit_reversal]: "CASHADVANCE",
  [TransactionType.refund]: "CREDITVOUCHER",
  [TransactionType.returnreversal]: "CREDITVOUCHER",
  [TransactionType.clear_negative_balance]: "PAYMENT",
  [TransactionType.card_load]: "PAYMENT",
  [TransactionType.card_unload]: "PAYMENT",
};

/** What the Program moves itself, without the network. */
const ownTypes: ReadonlySet<TransactionType> = new Set([
  TransactionType.clear_negative_balance,
  TransactionType.card_load,
  TransactionType.card_unload,
]);

export function isOwnMovement({ eventType, body }: Pick<Notification, "eventType" | "body">): boolean {
  return eventType === EventType.settlement && ownTypes.has(JSON.parse(body).TransType);
}

/** Types that reverse an earlier posting. */
const reversals: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization_clearing_chargeback_provisional_debit,
  TransactionType.authorization_clearing_chargeback_reversal,
  TransactionType.pindebit_chargeback_provisional_debit,
  TransactionType.pindebit_chargeback_reversal,
  TransactionType.pindebit_reversal,
  TransactionType.fee_charge_reversal,
  TransactionType.returnreversal,
]);

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
function settlementTexts(record: Transaction | Fee, card: NotifiedCard) {
  const transaction = "transId" in record ? record : undefined;
  const txn = dateAndTime(record.transDate);
  const post = dateAndTime(record.postDate ?? record.createdAt);
  return {
    MsgType: "ACTTXN",
    txndate: txn.date,
    txntime: txn.time,
    postdate: post.date,
    postime: post.time,
    description: record.description,
    merchantId: transaction?.merchantId ?? "",
    merchantCity: transaction?.merchantCity ?? "",
    merchantCountry: transaction?.merchantCountry ?? "",
    mcc: transaction?.mcc ?? "",
    referenceCode: record.referenceCode,
    txntimestamp: record.transDate,
    term_id: null,
    acctCif: withoutPrefix(card.cardholderId),
    srcCurrency: toSourceAmount(record, card).srcCurrency,
    txnMemo: null,
    source: ownTypes.has(record.transType) ? "PROGRAM" : "NETWORK",
    txncode: findCode(record),
  } as const;
}

/** The bytes depend on the order of the fields. */
function settlementPayload(
  { card, record, balanceMinor }: SettlementFacts,
  { trace, unique_row_id }: Pick<SettlementOriginal["payload"], "trace" | "unique_row_id">,
): SettlementOriginal["payload"] {
  const { transType, transStatus, amountMinor } = record;
  const transaction = "transId" in record ? record : undefined;
  const direction: TransactionDirection = transaction?.type ?? "DR";
  const source = toSourceAmount(record, card);
  return {
    ...settlementTexts(record, card),
    unique_row_id,
    transactionStatus: transStatus,
    balance: decimalNumber(balanceMinor),
    srcAmount: decimalNumber(source.srcAmountMinor, countDecimals(source.srcCurrency)),
    trace,
    merchantName: transaction?.merchantName ?? record.description,
    amount: decimalNumber(amountMinor),
    type: direction,
    txnGroup: groups[transType] ?? "PURCHASE",
    currencyCode: numericCurrency[card.currency],
    currencyDesc: currencyNames[card.currency],
    org_or_rev: reversals.has(transType) ? "R" : "O",
    points: 0,
    rec_status: "A",
    poieligible: direction === "DR" && groups[transType] === undefined,
    transactionStatusName: "POSTED",
    cardnum: card.maskedCardNumber,
    acctnum: withoutPrefix(card.cardId),
  };
}

/** Without FX data the two amounts and currencies are the same. */
function toSourceAmount(
  { srcAmountMinor, srcCurrency, amountMinor }: Transaction | Fee,
  { currency }: NotifiedCard,
) {
  return srcAmountMinor === undefined || srcCurrency === undefined
    ? { srcAmountMinor: amountMinor, srcCurrency: numericCurrency[currency] }
    : { srcAmountMinor, srcCurrency };
}

/** An ATM withdrawal and its fee have their own codes; all others have that of their type. */
function findCode(record: Transaction | Fee): string {
  if (record.transType === TransactionType.pindebit_atm_withdrawal) return "302";
  return "feeType" in record && record.feeType === FeeType.atm ? "113" : String(record.transType);
}
