import { environment } from "../../shared/platform/environment.ts";
import { readBatchOf } from "../../shared/platform/table/batch.ts";
import { accountsKey, tenantKey } from "../../shared/platform/table/keys.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import { ApiKey } from "../../shared/tenancy/api-keys/api-key.ts";
import { Certificate } from "../../shared/tenancy/certificates/certificate.ts";
import type { ClientCertificate } from "../../shared/tenancy/certificates/client-certificate.ts";
import { Suspensions } from "../../shared/tenancy/suspension.ts";

export interface StoredCredentials {
  readonly certificate: Certificate | undefined;
  readonly apiKey: ApiKey | undefined;
  readonly suspensions: Suspensions | undefined;
}

/** Every request waits for its authorizer: better an early rejection than a late one. */
const patienceMs = 500;

/**
 * One consistent call reads certificate, suspensions and key, so that a revocation or suspension applies to
 * the next request.
 */
export async function readCredentials(
  { fingerprint, tenantId }: ClientCertificate,
  keyHash: string | undefined,
): Promise<StoredCredentials> {
  const certificateKey = accountsKey.certificate(fingerprint);
  const suspensionsKey = tenantKey.suspensions(tenantId);
  const apiKeyKey = keyHash === undefined ? undefined : accountsKey.apiKey(keyHash);
  const keys = [certificateKey, suspensionsKey, ...(apiKeyKey ? [apiKeyKey] : [])];
  const items = await withinTime(patienceMs, () =>
    readBatchOf({ tableName: environment.accountsTable, consistent: true }, keys),
  );
  const certificate = items.find((item) => item.pk === certificateKey.pk);
  const suspensions = items.find((item) => item.sk === suspensionsKey.sk);
  const apiKey = apiKeyKey && items.find((item) => item.pk === apiKeyKey.pk);
  return {
    certificate: certificate && Certificate.parse(certificate),
    apiKey: apiKey && ApiKey.parse(apiKey),
    suspensions: suspensions && Suspensions.parse(suspensions),
  };
}
