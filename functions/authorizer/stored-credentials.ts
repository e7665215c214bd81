import { environment } from "../../shared/platform/environment.ts";
import { log } from "../../shared/platform/log.ts";
import { readBatchOf } from "../../shared/platform/table/batch.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import {
  ApiKey,
  apiKeys,
  hasApiKeyForm,
  hashesOf,
  type KeyHash,
} from "../../shared/tenancy/api-keys/api-key.ts";
import { Certificate, certificates } from "../../shared/tenancy/certificates/certificate.ts";
import type { ClientCertificate } from "../../shared/tenancy/certificates/client-certificate.ts";
import { Suspensions, suspensions } from "../../shared/tenancy/tenant.ts";

export interface StoredCredentials {
  readonly certificate: Certificate | undefined;
  readonly apiKey: ApiKey | undefined;
  /** Where the key may be, and where it is. */
  readonly hashes: readonly KeyHash[];
  readonly keyHash: string | undefined;
  readonly suspensions: Suspensions | undefined;
}

/** Every request waits for its authorizer: better an early rejection than a late one. */
const retryBudgetMs = 500;

/**
 * One consistent call reads certificate, suspensions and key, so that a revocation or suspension
 * applies to the next request.
 */
async function readCredentials(
  { fingerprint, tenantId }: ClientCertificate,
  hashes: readonly KeyHash[],
): Promise<StoredCredentials> {
  const certificateKey = certificates.key(fingerprint);
  const suspensionsKey = suspensions.key(tenantId);
  const keys = [certificateKey, suspensionsKey, ...hashes.map(({ keyHash }) => apiKeys.key(keyHash))];
  const items = await withinTime(retryBudgetMs, () =>
    readBatchOf({ tableName: environment.accountsTable, consistent: true }, keys),
  );
  const certificate = items.find((item) => item.pk === certificateKey.pk);
  const suspended = items.find((item) => item.sk === suspensionsKey.sk);
  const itemOf = (hash: string) => items.find((item) => item.pk === apiKeys.key(hash).pk);
  const keyHash = hashes.map((hash) => hash.keyHash).find(itemOf);
  const apiKey = keyHash === undefined ? undefined : itemOf(keyHash);
  return {
    certificate: certificate && Certificate.parse(certificate),
    apiKey: apiKey && ApiKey.parse(apiKey),
    ...{ hashes, keyHash },
    suspensions: suspended && Suspensions.parse(suspended),
  };
}

/** Looks again while the pepper is rotated: another process may just have stored the key anew. */
export async function readStored(
  certificate: ClientCertificate,
  [apiKey = ""]: readonly string[],
): Promise<StoredCredentials> {
  if (!hasApiKeyForm(apiKey)) return readCredentials(certificate, []);
  const hashes = await hashesOf(apiKey);
  const stored = await readCredentials(certificate, hashes);
  if (stored.apiKey) return stored;
  const latest = await hashesOf(apiKey, { isFresh: true });
  const isSame = latest.length === 1 && latest[0].keyHash === hashes[0].keyHash;
  return isSame ? stored : readCredentials(certificate, latest);
}

/** Under the current pepper, if it was under the other. Until that works, the other is enough. */
export async function storeAnew(
  key: ApiKey,
  { hashes, keyHash }: StoredCredentials,
  who: object,
): Promise<void> {
  const [current] = hashes;
  if (keyHash === undefined || current === undefined || keyHash === current.keyHash) return;
  try {
    const { storeUnderPepper } = await import("../../shared/tenancy/api-keys/store-under-pepper.ts");
    await withinTime(retryBudgetMs, () => storeUnderPepper(key, keyHash, current));
  } catch (error) {
    log.warn("A key was not stored under the new pepper.", { ...who, error });
  }
}
