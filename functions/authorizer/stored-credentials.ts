import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { pause } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { randomInteger } from "../../shared/id.ts";
import { table } from "../../shared/table/client.ts";
import { accountsKey, type Key } from "../../shared/table/keys.ts";
import { ApiKey } from "../../shared/tenant/api-key.ts";
import { Certificate } from "../../shared/tenant/certificate.ts";

/** What the platform knows of the credentials that were presented. */
export interface StoredCredentials {
  readonly certificate: Certificate | undefined;
  readonly apiKey: ApiKey | undefined;
}

const maximumAttempts = 4;
const firstDelayMs = 20;

/**
 * The certificate and, where there is one to look up, the key: consistently, in one call, so that a revocation holds for the
 * very next request.
 */
export async function readCredentials(
  fingerprint: string,
  keyHash: string | undefined,
): Promise<StoredCredentials> {
  const certificateKey = accountsKey.certificate(fingerprint);
  const apiKeyKey = keyHash === undefined ? undefined : accountsKey.apiKey(keyHash);
  const items = await batchGet([certificateKey, ...(apiKeyKey ? [apiKeyKey] : [])]);
  const certificate = items.find((item) => item.pk === certificateKey.pk);
  const apiKey = apiKeyKey && items.find((item) => item.pk === apiKeyKey.pk);
  return {
    certificate: certificate && Certificate.parse(certificate),
    apiKey: apiKey && ApiKey.parse(apiKey),
  };
}

/** What a throttled table leaves out is asked for again: an unread credential must not pass for an unknown one. */
async function batchGet(keys: readonly Key[]): Promise<Record<string, unknown>[]> {
  const tableName = environment.accountsTable;
  const items: Record<string, unknown>[] = [];
  let pending: Record<string, unknown>[] = keys.map((key) => ({ ...key }));
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const answer = await table.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: pending, ConsistentRead: true } } }),
    );
    items.push(...(answer.Responses?.[tableName] ?? []));
    pending = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
    if (pending.length === 0) return items;
    await pause(randomInteger(0, firstDelayMs * 2 ** attempt));
  }
  throw new Error("The table of accounts is throttled.");
}
