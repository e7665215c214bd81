import { PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";

/** A copy in which each text that names the one Program names the other. */
export function replaced(value: unknown, programId: string, copyId: string): unknown {
  const each = (one: unknown) => replaced(one, programId, copyId);
  if (typeof value === "string") return value.replaceAll(programId, copyId);
  if (Array.isArray(value)) return value.map(each);
  if (value instanceof Uint8Array) return value;
  if (value instanceof Set) return new Set([...value].map(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, each(member)]));
}

/** Copies all that a Program has stored. */
export async function copyProgram(programId: string, copyId: string): Promise<void> {
  for (const TableName of [environment.issuingTable, environment.accountsTable]) {
    const scan = {
      TableName,
      FilterExpression: "begins_with(pk, :program)",
      ExpressionAttributeValues: { ":program": programId },
    };
    for await (const { Items = [] } of paginateScan({ client: table }, scan)) {
      for (const item of Items) {
        const Item = replaced(item, programId, copyId) as Record<string, unknown>;
        await table.send(new PutCommand({ TableName, Item }));
      }
    }
  }
}
