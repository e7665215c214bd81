import { environment } from "../../platform/environment.ts";
import { readBatchOf } from "../../platform/table/batch.ts";
import { absent, exists } from "../../platform/table/condition.ts";
import type { Key } from "../../platform/table/keys.ts";
import { transact } from "../../platform/table/transact.ts";
import { type ApiKey, apiKeys, type KeyHash } from "./api-key.ts";
import { ApiUser, apiUsers } from "./api-user.ts";

/**
 * Moves a key that was just used to its hash under another pepper. The API user is read before the
 * key: whatever ends or changes a key writes its API user too, and then nothing is moved.
 */
export async function storeUnderPepper({ tenantId, apiUserId }: ApiKey, from: string, to: KeyHash) {
  const user = ApiUser.parse(await read(apiUsers.at(tenantId, apiUserId).key));
  const key = apiKeys.parse((await read(apiKeys.at(from).key)) ?? {});
  const { keyHash, revision, previous } = user;
  const isCurrent = keyHash === from;
  if (!isCurrent && previous?.keyHash !== from) return;
  const set = isCurrent || !previous ? to : { previous: { ...previous, ...to } };
  await transact([
    apiUsers.at(tenantId, apiUserId).update({ set }, { keyHash, revision, revokedAt: absent }),
    apiKeys.at(to.keyHash).create(key),
    apiKeys.at(from).delete(exists),
  ]);
}

async function read(key: Key): Promise<Record<string, unknown> | undefined> {
  const [item] = await readBatchOf({ tableName: environment.accountsTable, consistent: true }, [key]);
  return item;
}
