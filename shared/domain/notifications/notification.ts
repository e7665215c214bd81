import { createHash } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { EventType } from "../../contract/enums.ts";
import { type NotificationEnvelope, notificationsKeptSeconds } from "../../contract/notifications.ts";
import { listInsert } from "../../lists/change.ts";
import type { ListKind } from "../../lists/entry.ts";
import { timestamp, unixSeconds } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { madeAt } from "../../platform/id.ts";
import { table } from "../../platform/table/client.ts";
import { webhookKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** What a transaction webhook sends, rendered once: every delivery of it sends these bytes. */
export interface Notification {
  readonly programId: string;
  /** TransId_SC. Its time is the notification's DateCreated. */
  readonly transIdSc: string;
  readonly eventType: EventType;
  readonly cardId: string;
  readonly body: string;
  /** SHA-256 of the body's bytes in UTF-8, in hexadecimal. */
  readonly bodySha256: string;
  readonly createdAt: string;
}

/** The list of `GET /webhooks/events`. It covers all that a page shows, because records are large. */
export const notificationList: ListKind = {
  name: "notifications",
  filters: ["eventType"],
  orders: [],
  carried: ["cardId", "bodySha256"],
  shards: 16,
  // A minute less than the records, so that none expires while it is on a page.
  retentionMs: (notificationsKeptSeconds - 60) * 1000,
};

/** Fixes an envelope's bytes. */
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
    bodySha256: createHash("sha256").update(body, "utf8").digest("hex"),
    createdAt: timestamp(madeAt(envelope.TransId_SC)),
  };
}

/** Keeps a notification, in the transaction that caused it. */
export function notificationPut(notification: Notification): WriteAction {
  const { programId, transIdSc } = notification;
  return {
    name: "notification",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...webhookKey.notification(programId, transIdSc),
        ...notification,
        expiresAtSeconds: unixSeconds(madeAt(transIdSc)) + notificationsKeptSeconds,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
    alongside: [listInsert(notificationList, programId, transIdSc, notification)],
  };
}

export async function readNotification(
  programId: string,
  transIdSc: string,
): Promise<Notification | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: webhookKey.notification(programId, transIdSc),
      ConsistentRead: true,
    }),
  );
  return Item as Notification | undefined;
}
