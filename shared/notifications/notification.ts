import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod";
import { type Currency, EventType } from "../contract/enums.ts";
import { type NotificationEnvelope, notificationsKeptSeconds } from "../contract/notifications.ts";
import { integerEnum } from "../contract/primitives.ts";
import { findTypeFacts } from "../contract/transaction-types.ts";
import { ridingRow, ridingShard } from "../lists/entry.ts";
import { defineList, rides, ridingKey, toEntry } from "../lists/kind.ts";
import { timestamp } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { idTime, newShardedId, randomInteger, shardOfId, withoutPrefix } from "../platform/id.ts";
import { sha256 } from "../platform/sha256.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/** The content of a transaction webhook. It is rendered once: every delivery sends these bytes. */
export const Notification = z.object({
  programId: z.string(),
  /** TransId_SC. Its time is the notification's DateCreated. */
  transIdSc: z.string(),
  eventType: integerEnum(EventType),
  /** What it is about, from type 10 on. */
  subjectId: z.string().optional(),
  /** Only where it has one. */
  cardId: z.string().optional(),
  body: z.string(),
  /** SHA-256 of the body's bytes in UTF-8, in hexadecimal. */
  bodySha256: z.string(),
  createdAt: z.string(),
});
export type Notification = Readonly<z.output<typeof Notification>>;

/** The list of `GET /webhooks/events`. It has all attributes of a page: records are large. */
export const notificationList = defineList({
  name: "notifications",
  filters: ["eventType"],
  carried: ["cardId", "bodySha256", "subjectId"],
  ...rides,
  // A minute less than the records, so that none expires while it is on a page.
  retentionMs: (notificationsKeptSeconds - 60) * 1000,
});

export function toNotification(
  programId: string,
  eventType: EventType,
  envelope: NotificationEnvelope,
): Notification {
  const body = JSON.stringify(envelope);
  return {
    programId,
    transIdSc: envelope.TransId_SC,
    eventType,
    cardId: envelope.CardId,
    body,
    bodySha256: sha256(body),
    createdAt: envelope.DateCreated,
  };
}

/** Its row is where the other changes of its Card are. */
export function newNotificationId(cardId: string): string {
  return newShardedId("notification", ridingShard(cardId));
}

/** The parts of its row's key. */
export function notificationPlace(programId: string, transIdSc: string) {
  return [programId, shardOfId(transIdSc), withoutPrefix(transIdSc)] as const;
}

/** Goes into the transaction that causes the notification. Its row is the only copy. */
export function notificationPut(notification: Notification) {
  const { programId, transIdSc, body } = notification;
  const key = ridingKey(...notificationPlace(programId, transIdSc));
  const row = ridingRow(notificationList, key, [toEntry(notificationList, transIdSc, notification)]);
  const Item = { ...row, body: packBody(body) };
  return {
    name: "notification",
    joins: "host",
    Put: { TableName: environment.issuingTable, Item, ConditionExpression: "attribute_not_exists(pk)" },
  } satisfies WriteAction;
}

export function isOwnMovement({ eventType, body }: Pick<Notification, "eventType" | "body">): boolean {
  return eventType === EventType.settlement && findTypeFacts(JSON.parse(body).TransType).isOwn === true;
}

export interface NotifiedCard {
  readonly programId: string;
  readonly cardId: string;
  readonly cardToken: string;
  readonly cardholderId: string;
  readonly currency: Currency;
  readonly maskedCardNumber: string;
}

type OwnFields = Pick<
  NotificationEnvelope,
  "TransType" | "TransResult" | "TransAmount" | "TransMerchantName" | "TransDate" | "TransId_Issuer"
> & { readonly original?: string | undefined; readonly data: object };

/** `data` becomes the second layer: a JSON-encoded string. */
export function renderEnvelope(
  transIdSc: string,
  card: Pick<NotifiedCard, "cardId" | "cardToken" | "cardholderId">,
  { original, data, TransId_Issuer, ...own }: OwnFields,
): NotificationEnvelope {
  return {
    TransId_SC: transIdSc,
    OriginalTransId_SC: original ?? "0",
    TransId_Issuer,
    CardId: card.cardId,
    CardToken: card.cardToken,
    CardholderId: card.cardholderId,
    DateCreated: timestamp(idTime(transIdSc)),
    ...own,
    SpData: JSON.stringify(data),
  };
}

/** The payload's form: 12.34. The flat layer has `toDecimal`. */
export function decimalNumber(amountMinor: number, decimals = 2): number {
  return amountMinor / 10 ** decimals;
}

/** The date and the time of day in UTC: `2026-07-09` and `070000`. */
export function dateAndTime(at: string): { date: string; time: string } {
  return { date: at.slice(0, 10), time: at.slice(11, 19).replaceAll(":", "") };
}

/** Six digits: even for holds, odd for settlements, so that they never share one. */
export function traceNumber(of: "hold" | "settlement"): number {
  return 2 * randomInteger(50_000, 500_000) + (of === "hold" ? 0 : 1);
}

// Field names and usual values of bodies, as text: what the two inner layers have in common.
const deposit =
  '"MsgType":"DEPOSIT","depositId":"dep_01","channel":"crypto","chain":null,"asset":null,"txHash":null,' +
  '"currencyCode":"840"';
const hold =
  '"MsgType":"HOLD","cif":"01","account":"01","transdate":"2026-","authId":"","cardnum":"400000******",' +
  '"status":"ACTIVE","currency":"840","hdate":"2026-","edate":"2026-","txncode":"1",' +
  '"txnExtDesc":"Authorization","txnIntDesc":"AUTHORIZATION","statusId":"1"';
const settlement =
  '"MsgType":"ACTTXN","txndate":"2026-","txntime":"","postdate":"2026-","postime":"","description":"",' +
  '"merchantId":"","merchantCity":"","merchantCountry":"","mcc":"","referenceCode":"01",' +
  '"txntimestamp":"2026-","term_id":null,"acctCif":"01","srcCurrency":"840","txnMemo":null,' +
  '"source":"NETWORK","txncode":"30"';
const posted =
  '"unique_row_id":0,"transactionStatus":null,"balance":0,"srcAmount":0,"trace":0,"merchantName":"",' +
  '"amount":0,"type":"DR","txnGroup":"PURCHASE","currencyCode":"840","currencyDesc":"USD","org_or_rev":"O",' +
  '"points":0,"rec_status":"A","poieligible":false,"transactionStatusName":"POSTED",' +
  '"cardnum":"400000******","acctnum":"01"';

/** Never changes: stored bodies are read with it. What it lacks only packs less well. */
const dictionary = Buffer.from(
  example(`${deposit},"amount":"0.00"`, "DEPOSIT_CLEARED", `${deposit},"amount":0`) +
    example(
      `${hold},"trace":"","txntype":"00","msgtype":"0100","amount":"0.00","htime":"","etime":""`,
      "HOLD",
      `${hold},"trace":0,"txntype":0,"msgtype":100,"amount":0,"htime":0,"etime":0`,
    ) +
    example(
      `${settlement},"unique_row_id":"","transactionStatus":"3","balance":"","srcAmount":"","trace":""`,
      "ACTTXN",
      `${settlement},${posted}`,
    ),
);

function example(data: string, cdcEvent: string, payload: string): string {
  const original = JSON.stringify(`{"cdcEvent":"${cdcEvent}","payload":{${payload}}}`);
  const inner = JSON.stringify(`{${data},"OriginalDataFromSp":${original}}`);
  return (
    '{"TransId_SC":"ntf_01","OriginalTransId_SC":"0","TransId_Issuer":"","CardId":"crd_01",' +
    '"CardToken":"tok_","CardholderId":"chd_01","DateCreated":"2026-","TransType":null,"TransResult":null,' +
    `"TransAmount":0,"TransMerchantName":"","TransDate":"2026-","SpData":${inner}}`
  );
}

/** The window covers the dictionary and a body. Less memory is faster to set up. */
const options = { dictionary, windowBits: 13, memLevel: 6 };

/** A body in zlib's format, mostly under 500 bytes. Unpacks to the same bytes. */
export function packBody(body: string): Uint8Array {
  return deflateSync(body, options);
}

/** @throws Error for bytes that were packed with another dictionary, or changed */
export function unpackBody(packed: Uint8Array): string {
  return inflateSync(packed, { dictionary }).toString("utf8");
}
