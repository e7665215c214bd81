import * as z from "zod";
import { notificationsKeptSeconds } from "../contract/notifications.ts";
import { changedEntries, changeKey, changeShard, entryAttributes } from "../lists/entry.ts";
import { now, timestamp } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { idTime, withoutPrefix } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { defineEntity, type ReadItem } from "../platform/table/entity.ts";
import { Notification, notificationList, unpackBody } from "./notification.ts";

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

const NotificationHead = Notification.omit({ body: true });

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
