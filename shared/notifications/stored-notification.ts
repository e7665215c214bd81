import * as z from "zod";
import { notificationsKeptSeconds } from "../contract/notifications.ts";
import { changedEntries, entryAttributes, riding, ridingEntries, ridingKey } from "../lists/kind.ts";
import { now, timestamp } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { idTime } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { defineEntity, type ReadItem } from "../platform/table/entity.ts";
import {
  Notification,
  notificationList,
  notificationPlace,
  notificationPut,
  unpackBody,
} from "./notification.ts";

/** The row of changes that adds it to its list, with its body: the two share a ULID. */
const notificationRows = defineEntity({
  name: "notification",
  schema: z.object({
    pk: z.string(),
    entries: z.array(z.string()),
    // A change that is written again, because it missed its compaction, has none.
    body: z.instanceof<typeof Uint8Array<ArrayBufferLike>>(Uint8Array).optional(),
  }),
  key: ridingKey,
});

const NotificationHead = Notification.omit({ body: true });

/** Consistent reads, or the caller's. Undefined if it does not exist, or has expired. */
export async function readNotification(
  programId: string,
  transIdSc: string,
  read?: ReadItem,
): Promise<Notification | undefined> {
  if (isExpired(transIdSc)) return undefined;
  return fromRow(await notificationRows.at(...notificationPlace(programId, transIdSc)).get(read));
}

/** Those that are kept, in any order. */
export async function readNotifications(programId: string, ids: readonly string[]): Promise<Notification[]> {
  const items = await readBatch(
    ids.map((transIdSc) => ridingKey(...notificationPlace(programId, transIdSc))),
  );
  return items.flatMap((item) => parseNotification(item) ?? []);
}

/** The one that has its id already, if there is one: it stays as it is. */
export async function storeOnce(notification: Notification): Promise<Notification | undefined> {
  const { programId, transIdSc } = notification;
  const { Item } = notificationPut(notification).Put;
  return fromRow(await notificationRows.at(...notificationPlace(programId, transIdSc)).createNow(Item));
}

/** Its row stays ten days longer, so that walking the list by offset is not disturbed. */
export function isExpired(transIdSc: string): boolean {
  return idTime(transIdSc).getTime() < now().getTime() - notificationsKeptSeconds * 1000;
}

/** @throws ApiError NOT_FOUND, also for an id of another kind: the row's key has no prefix */
export async function requireNotification(programId: string, transIdSc: string): Promise<Notification> {
  const found = await readNotification(programId, transIdSc);
  if (found?.transIdSc !== transIdSc) throw new ApiError("NOT_FOUND");
  return found;
}

/** Undefined for every other item of the table. */
export function parseNotification(item: Readonly<Record<string, unknown>>): Notification | undefined {
  return item.body && item.listed === riding.listed ? fromRow(notificationRows.parse(item)) : undefined;
}

function fromRow(row: { pk: string; entries: readonly string[]; body?: Uint8Array | undefined } | undefined) {
  const packed = row?.body;
  const [entry] = packed ? changedEntries({ entries: ridingEntries(notificationList, row.entries) }) : [];
  if (!packed || !entry) return undefined;
  const head = NotificationHead.parse({
    ...entryAttributes(notificationList, entry),
    programId: row.pk.split("#")[0],
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
