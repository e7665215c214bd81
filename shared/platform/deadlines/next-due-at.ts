import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import { deadlinePriorities, dueShards } from "./priority.ts";

/** When the earliest deadline falls due, an overdue one that stayed included, as ISO 8601; null when there is none. */
export async function nextDueAt(): Promise<string | null> {
  const heads = await Promise.all(deadlinePriorities.flatMap(dueShards).map(headOf));
  const [earliest] = heads.filter((dueAt) => dueAt !== undefined).sort();
  return earliest === undefined ? null : earliest.slice(0, earliest.indexOf("#"));
}

async function headOf(shard: string): Promise<string | undefined> {
  const { Items } = await table.send(
    new QueryCommand({
      TableName: environment.issuingTable,
      IndexName: "by-due",
      KeyConditionExpression: "dueShard = :shard",
      ExpressionAttributeValues: { ":shard": shard },
      ProjectionExpression: "dueAt",
      Limit: 1,
    }),
  );
  const dueAt: unknown = Items?.[0]?.dueAt;
  return typeof dueAt === "string" ? dueAt : undefined;
}
