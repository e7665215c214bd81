import { GetCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { ApiUserView } from "../../contract/account-access.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { timestamp as timestampOf } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { accountsKey } from "../../platform/table/keys.ts";

/** Where a Tenant finds its keys: whoever has one, and the hashes under which the keys themselves are stored. */
export const ApiUser = z.object({
  tenantId: id("tenant"),
  apiUserId: id("apiUser"),
  level: z.enum(["program", "tenant"]),
  programId: id("program").optional(),
  name: z.string(),
  keyHash: z.string(),
  /** The key from before the last rotation; it may work still. */
  previous: z.object({ keyHash: z.string(), validUntil: timestamp }).optional(),
  createdAt: timestamp,
  createdBy: z.string(),
  rotatedAt: timestamp.optional(),
  revokedAt: timestamp.optional(),
  revokedBy: z.string().optional(),
});
export type ApiUser = z.output<typeof ApiUser>;

/** The API user of this Tenant; undefined when there is none. One consistent read. */
export async function readApiUser(tenantId: string, apiUserId: string): Promise<ApiUser | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.apiUser(tenantId, apiUserId),
      ConsistentRead: true,
    }),
  );
  return Item && ApiUser.parse(Item);
}

/** All API users of the Tenant and its Programs, revoked ones included. Consistent reads. */
export async function readApiUsers(tenantId: string): Promise<ApiUser[]> {
  const { pk, sk } = accountsKey.apiUser(tenantId, "");
  const pages = paginateQuery(
    { client: table },
    {
      TableName: environment.accountsTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :tenant AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":tenant": pk, ":prefix": sk },
    },
  );
  const found: ApiUser[] = [];
  for await (const { Items } of pages) found.push(...(Items ?? []).map((item) => ApiUser.parse(item)));
  return found;
}

/** The API user as it is answered, and as the audit log keeps it: without any hash. */
export function toApiUserView(user: ApiUser): ApiUserView {
  const { apiUserId, level, programId, name, createdAt, rotatedAt, previous, revokedAt } = user;
  const overlaps = previous && revokedAt === undefined && timestampOf() < previous.validUntil;
  return {
    apiUserId,
    level,
    programId,
    name,
    dateCreated: createdAt,
    dateRotated: rotatedAt,
    previousKeyExpiresAt: overlaps ? previous.validUntil : undefined,
    dateRevoked: revokedAt,
  };
}
