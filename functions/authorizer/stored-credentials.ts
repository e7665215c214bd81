import { environment } from "../../shared/environment.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { readBatchOf } from "../../shared/table/read-batch.ts";
import { ApiKey } from "../../shared/tenant/api-key.ts";
import { Certificate } from "../../shared/tenant/certificate.ts";

/** What the platform knows of the credentials that were presented. */
export interface StoredCredentials {
  readonly certificate: Certificate | undefined;
  readonly apiKey: ApiKey | undefined;
}

/** The caller waits for it. */
const attempts = 4;

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
  const items = await readBatchOf({ tableName: environment.accountsTable, consistent: true, attempts }, [
    certificateKey,
    ...(apiKeyKey ? [apiKeyKey] : []),
  ]);
  const certificate = items.find((item) => item.pk === certificateKey.pk);
  const apiKey = apiKeyKey && items.find((item) => item.pk === apiKeyKey.pk);
  return {
    certificate: certificate && Certificate.parse(certificate),
    apiKey: apiKey && ApiKey.parse(apiKey),
  };
}
