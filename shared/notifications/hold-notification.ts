import { toDecimal } from "../contract/currencies.ts";
import { EventType, numericCurrency, TransactionResult, TransactionType } from "../contract/enums.ts";
import type { HoldData, HoldOriginal } from "../contract/notifications.ts";
import { timestamp } from "../platform/clock.ts";
import { idTime, randomInteger, withoutPrefix } from "../platform/id.ts";
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

export interface HoldFacts {
  readonly transIdSc: string;
  readonly card: NotifiedCard;
  readonly transaction: Pick<Transaction, "transType" | "amountMinor" | "transDate">;
}

const windowMs = 24 * 3_600_000;
/** The ISO 8583 processing code of a purchase. */
const purchase = { text: "00", number: 0 };
const ofAuthorization = ["0100", "Authorization"] as const;
/** The message type of what places a hold, and what it is called. */
const placing: Partial<Record<number, readonly [msgtype: string, description: string]>> = {
  [TransactionType.authorization]: ofAuthorization,
  [TransactionType.authorization_advice]: ["0120", "Authorization Advice"],
  [TransactionType.authorization_incremental]: ["0100", "Incremental Authorization"],
  [TransactionType.authorization_standin]: ["0120", "Stand-in Authorization"],
};

/** A HOLD for a placed hold. */
export function notifyHold(
  card: NotifiedCard,
  {
    transaction,
    placedMinor = 0,
  }: { transaction?: Transaction | undefined; placedMinor?: number | undefined },
) {
  if (!transaction || placedMinor <= 0) return undefined;
  const transIdSc = newNotificationId(card.cardId);
  const writes = [notificationPut(renderHold({ transIdSc, card, transaction }))];
  return { outboxDetail: { notificationIds: [transIdSc] }, writes };
}

/** A HOLD: the authorized amount in the card's currency. */
export function renderHold({ transIdSc, card, transaction }: HoldFacts): Notification {
  const { transType, amountMinor, transDate } = transaction;
  const placedAt = idTime(transIdSc);
  const { date: hdate, time: htime } = dateAndTime(timestamp(placedAt));
  const { date: edate, time: etime } = dateAndTime(timestamp(new Date(placedAt.getTime() + windowMs)));
  const trace = traceNumber("hold");
  const [msgtype, description] = placing[transType] ?? ofAuthorization;
  const texts = holdTexts(transaction, card, { hdate, edate, description });
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
  { hdate, edate, description }: Readonly<Record<"hdate" | "edate" | "description", string>>,
) {
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
