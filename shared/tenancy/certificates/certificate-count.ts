import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { tenantKey } from "../../platform/table/tenant-keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** How many certificates the Tenant has registered since they are counted, whatever became of them. One consistent read. */
export async function readCount(tenantId: string): Promise<number> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: tenantKey.certificateCount(tenantId),
      ConsistentRead: true,
    }),
  );
  return (Item?.registered as number | undefined) ?? 0;
}

/** Counts another certificate, on the condition that there are as many as were found, if any were looked for. */
export function countChange(name: string, tenantId: string, found: number | undefined): WriteAction {
  const condition = found === 0 ? "attribute_not_exists(pk)" : "registered = :found";
  return {
    name,
    Update: {
      TableName: environment.accountsTable,
      Key: tenantKey.certificateCount(tenantId),
      UpdateExpression: "ADD registered :one",
      ...(found !== undefined && { ConditionExpression: condition }),
      ExpressionAttributeValues: { ":one": 1, ...(found && { ":found": found }) },
    },
  };
}
