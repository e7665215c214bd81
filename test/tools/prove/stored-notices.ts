import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Connection } from "../../../infra/development/connection.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";

interface StoredNotice {
  readonly transIdSc: string;
  readonly body: string;
}

/** The notifications in a platform's store. */
interface StoredNotices {
  readonly notices: readonly StoredNotice[];
  /** The ids of the alerts that an endpoint was switched off. */
  readonly switchedOff: readonly string[];
}

export async function storedNotices({ store, programId }: Connection): Promise<StoredNotices> {
  const { endpoint, region, issuingTable: TableName } = store;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
  const notices: StoredNotice[] = [];
  const switchedOff: string[] = [];
  const kind: OutboxEvent["kind"] = "webhook.disabled";
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    const found = Items.flatMap((item) => parseNotification(item) ?? []);
    notices.push(...found.filter((notice) => notice.programId === programId));
    const own = Items.filter((item) => item.programId === programId);
    switchedOff.push(...own.filter((item) => item.kind === kind).map(({ eventId }) => String(eventId)));
  }
  client.destroy();
  return { notices, switchedOff };
}
