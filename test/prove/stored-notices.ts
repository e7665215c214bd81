import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Connection } from "../../infra/local/connection.ts";

export interface StoredNotice {
  readonly transIdSc: string;
  readonly eventType: number;
  readonly body: string;
}

/** Every notification that a platform has committed to, as it stands in its store. */
export async function storedNotices({ store, programId }: Connection): Promise<StoredNotice[]> {
  const { endpoint, region, issuingTable: TableName } = store;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
  const found: StoredNotice[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    const notices = Items.filter((item) => item.sk === "NOTIFICATION" && item.programId === programId);
    found.push(...(notices as StoredNotice[]));
  }
  client.destroy();
  return found;
}
