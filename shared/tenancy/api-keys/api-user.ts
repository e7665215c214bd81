import * as z from "zod";
import type { ApiUserView } from "../../contract/account-access.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { timestamp as timestampOf } from "../../platform/clock.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { accountsKey } from "../../platform/table/keys.ts";

/** A Tenant's keys: their holder, and the hashes under which they are stored. */
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

export const apiUsers = defineEntity({
  name: "api user",
  table: "accounts",
  schema: ApiUser,
  key: accountsKey.apiUser,
});

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
