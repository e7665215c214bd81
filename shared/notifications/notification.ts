import * as z from "zod";
import { type Currency, EventType } from "../contract/enums.ts";
import { type NotificationEnvelope, notificationsKeptSeconds } from "../contract/notifications.ts";
import { integerEnum } from "../contract/primitives.ts";
import { changedEntries, changeKey, changeRow, changeShard } from "../lists/change.ts";
import { entryAttributes, expiredMs, type ListKind, toEntry } from "../lists/entry.ts";
import { now, timestamp, unixSeconds } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { idTime, randomInteger, withoutPrefix } from "../platform/id.ts";
import { sha256 } from "../platform/sha256.ts";
import { readBatch } from "../platform/table/batch.ts";
import { defineEntity, type ReadItem } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { packBody, unpackBody } from "./packed-body.ts";

/** The content of a transaction webhook. It is rendered once: every delivery sends these bytes. */
const Notification = z.object({
  programId: z.string(),
  /** TransId_SC. Its time is the notification's DateCreated. */
  transIdSc: z.string(),
  eventType: integerEnum(EventType),
  cardId: z.string(),
  body: z.string(),
  /** SHA-256 of the body's bytes in UTF-8, in hexadecimal. */
  bodySha256: z.string(),
  createdAt: z.string(),
});
const NotificationHead = Notification.omit({ body: true });
export type Notification = Readonly<z.output<typeof Notification>>;

/** The list of `GET /webhooks/events`. It has all attributes of a page: records are large. */
export const notificationList: ListKind = {
  name: "notifications",
  filters: ["eventType"],
  orders: [],
  carried: ["cardId", "bodySha256"],
  shards: 16,
  // A change has the body: a page that reads 511 of them would take 87 units.
  minimumChanges: 128,
  // A minute less than the records, so that none expires while it is on a page.
  retentionMs: (notificationsKeptSeconds - 60) * 1000,
};

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

/** The list's change that adds it, with its body: the two share a ULID. */
const notificationRows = defineEntity({
  name: "notification",
  schema: z.object({
    programId: z.string(),
    entries: z.string(),
    // A change that is written again, because it missed its compaction, has none.
    body: z.instanceof(Uint8Array).optional(),
  }),
  key: changeKey,
});

function rowAt(programId: string, transIdSc: string) {
  const changeId = withoutPrefix(transIdSc);
  const entry = { id: transIdSc, createdAt: 0, values: [], weight: 1 };
  const shard = changeShard(notificationList, changeId, [entry]);
  return notificationRows.at({ programId, kind: notificationList }, shard, changeId);
}

/** Goes into the transaction that causes the notification. Its row is the only copy. */
export function notificationPut(notification: Notification) {
  const { programId, transIdSc, body } = notification;
  const list = { programId, kind: notificationList };
  const row = changeRow(list, withoutPrefix(transIdSc), [toEntry(notificationList, transIdSc, notification)]);
  const expiresAtSeconds = unixSeconds(idTime(transIdSc)) + notificationsKeptSeconds + expiredMs / 1000;
  const Item = { ...row, body: packBody(body), expiresAtSeconds };
  return {
    name: "notification",
    Put: { TableName: environment.issuingTable, Item, ConditionExpression: "attribute_not_exists(pk)" },
  } satisfies WriteAction;
}

/** Consistent reads, or the caller's. Undefined if it does not exist, or has expired. */
export async function readNotification(
  programId: string,
  transIdSc: string,
  read?: ReadItem,
): Promise<Notification | undefined> {
  if (isExpired(transIdSc)) return undefined;
  return fromRow(await rowAt(programId, transIdSc).get(read));
}

/** Those that are kept, in any order. */
export async function readNotifications(programId: string, ids: readonly string[]): Promise<Notification[]> {
  const items = await readBatch(ids.map((transIdSc) => rowAt(programId, transIdSc).key));
  return items.flatMap((item) => parseNotification(item) ?? []);
}

/** Its row stays ten days longer, so that walking the list by offset is not disturbed. */
export function isExpired(transIdSc: string): boolean {
  return idTime(transIdSc).getTime() < now().getTime() - notificationsKeptSeconds * 1000;
}

/** @throws ApiError NOT_FOUND */
export async function requireNotification(programId: string, transIdSc: string): Promise<Notification> {
  const found = await readNotification(programId, transIdSc);
  if (!found) throw new ApiError("NOT_FOUND");
  return found;
}

/** Undefined for every other item of the table. */
export function parseNotification(item: Readonly<Record<string, unknown>>): Notification | undefined {
  return item.listed === notificationList.name ? fromRow(notificationRows.parse(item)) : undefined;
}

function fromRow(
  row: { programId: string; entries: string; body?: Uint8Array | undefined } | undefined,
): Notification | undefined {
  const packed = row?.body;
  const [entry] = packed ? changedEntries(row) : [];
  if (!packed || !entry) return undefined;
  const head = NotificationHead.parse({
    ...entryAttributes(notificationList, entry),
    programId: row.programId,
    transIdSc: entry.id,
    createdAt: timestamp(new Date(entry.createdAt)),
  });
  return {
    ...head,
    // Most who read a notification do not read its body.
    get body() {
      return unpackBody(packed);
    },
  };
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

/** The flat layer's form: "12.34"; with as many decimals as the currency has. */
export function decimalText(amountMinor: number, decimals = 2): string {
  return decimalNumber(amountMinor, decimals).toFixed(decimals);
}

/** The payload's form: 12.34. */
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
