import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { id, timestamp } from "../contract/primitives.ts";
import { environment } from "../platform/environment.ts";
import { table } from "../platform/table/client.ts";
import { accountsKey } from "../platform/table/keys.ts";

const common = { tenantId: id("tenant"), updatedAt: timestamp, updatedBy: z.string() };

/** Where a Tenant's reminders go: by email, or to a URL of its own, signed. */
export const NotificationSettings = z.discriminatedUnion("channel", [
  z.object({ ...common, channel: z.literal("email"), email: z.string() }),
  z.object({ ...common, channel: z.literal("webhook"), url: z.string(), secret: z.string() }),
]);
export type NotificationSettings = z.output<typeof NotificationSettings>;

/** The settings as they were last written; undefined for a Tenant that has none. One consistent read. */
export async function readNotificationSettings(tenantId: string): Promise<NotificationSettings | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.notificationSettings(tenantId),
      ConsistentRead: true,
    }),
  );
  return Item && NotificationSettings.parse(Item);
}
