import type * as z from "zod";
import type { AuthorizerContext } from "../../shared/contract/authorizer-context.ts";
import type { ErrorCode } from "../../shared/contract/errors.ts";
import { BoundedMap } from "../../shared/platform/bounded-map.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { readBatchOf } from "../../shared/platform/table/batch.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import {
  type AllowedFor,
  type AllowedRange,
  allowedFor,
  listedRanges,
  rangeLists,
} from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import {
  ApiKey,
  apiKeys,
  hasApiKeyForm,
  type KeyHash,
  possibleHashes,
} from "../../shared/tenancy/api-keys/api-key.ts";
import { Certificate, certificates } from "../../shared/tenancy/certificates/certificate.ts";
import {
  CertificateUnusableError,
  type ClientCertificate,
  readClientCertificate,
} from "../../shared/tenancy/certificates/client-certificate.ts";
import { isSuspended, Suspensions, suspensions } from "../../shared/tenancy/tenant.ts";
import { type NameVerdict, nameVerdict } from "./confirmed-name.ts";

/** The credentials of a request, not yet verified. */
export interface PresentedCredentials {
  readonly certificatePem: string | undefined;
  /**
   * The connection's own address. Headers such as `X-Forwarded-For` are the caller's text and
   * ignored.
   */
  readonly ip: string;
  /** The values of every `X-API-Key` header. */
  readonly apiKeys: readonly string[];
}

/** The caller, as the functions behind the API see it. API Gateway carries only strings. */
export type CallerContext = z.input<typeof AuthorizerContext>;

/**
 * Checks certificate, address and key in this order, then suspension, which only valid credentials
 * reveal. One call reads all of them, beside the bounded wait for DNS.
 * @throws Rejection
 */
export async function authenticate(presented: PresentedCredentials): Promise<CallerContext> {
  const certificate = readPresented(presented.certificatePem);
  const [stored, name] = await Promise.all([
    readStored(certificate, presented.apiKeys),
    nameVerdict(presented.ip, certificate.domains),
  ]);
  const who = requireCertificate(certificate, stored.certificate);
  const allowed = allowedFor(presented.ip, stored.ranges);
  requireAddress(allowed, name, certificate, who);
  const key = requireKey(presented.apiKeys, stored.apiKey, certificate, who);
  requireAddressForKey(allowed, key, who);
  requireNotSuspended(stored.suspensions, key, who);
  if (name === "recentlyConfirmed") noteAllowedWithoutDns(who);
  await storeAnew(key, stored, withApiUser(who, key));
  return toCallerContext(key);
}

/** Parsing a certificate is the slowest step here, and its content never changes. */
const readBefore = new BoundedMap<string, ClientCertificate>(100);

function readPresented(pem: string | undefined): ClientCertificate {
  if (pem === undefined) throw new Rejection("CERTIFICATE_NOT_AUTHORIZED", "CERTIFICATE_MISSING");
  try {
    const certificate = readBefore.get(pem) ?? readClientCertificate(pem);
    readBefore.set(pem, certificate);
    return certificate;
  } catch (error) {
    if (!(error instanceof CertificateUnusableError)) throw error;
    throw new Rejection("CERTIFICATE_NOT_AUTHORIZED", "CERTIFICATE_UNUSABLE");
  }
}

function requireCertificate(certificate: ClientCertificate, stored: Certificate | undefined): Who {
  const who: Who = { tenantId: certificate.tenantId, ...(stored && { certificateId: stored.certificateId }) };
  const cause = certificateFault(certificate, stored);
  if (cause) throw new Rejection("CERTIFICATE_NOT_AUTHORIZED", cause, who);
  return who;
}

function certificateFault(
  certificate: ClientCertificate,
  stored: Certificate | undefined,
): RejectionCause | undefined {
  if (!stored) return "CERTIFICATE_UNKNOWN";
  if (stored.revokedAt !== undefined) return "CERTIFICATE_REVOKED";
  if (stored.environment !== environment.name) return "CERTIFICATE_OF_ANOTHER_ENVIRONMENT";
  const at = now();
  if (at < certificate.notBefore || at >= certificate.notAfter) return "CERTIFICATE_NOT_VALID_NOW";
  return undefined;
}

/**
 * The address must be on the Tenant's list or on that of a Program in the certificate. Nothing may
 * depend on the key yet: `requireAddressForKey` checks the key's own Program.
 */
function requireAddress(
  allowed: AllowedFor,
  name: NameVerdict,
  { programIds }: ClientCertificate,
  who: Who,
): void {
  const isListed = allowed.tenant || programIds.some((programId) => allowed.programIds.has(programId));
  if (!isListed) throw new Rejection("IP_NOT_AUTHORIZED", "IP_NOT_LISTED", who);
  if (name === "unconfirmed") throw new Rejection("IP_NOT_AUTHORIZED", "IP_NAME_UNCONFIRMED", who);
  if (name === "unavailable") throw new Rejection("UNAVAILABLE", "DNS_UNAVAILABLE", who);
}

function requireKey(
  presented: readonly string[],
  stored: ApiKey | undefined,
  certificate: ClientCertificate,
  who: Who,
): ApiKey {
  const checked = checkKey(presented, stored, certificate);
  if (typeof checked !== "string") return checked;
  throw new Rejection("API_KEY_INVALID", checked, withApiUser(who, stored));
}

function checkKey(
  [first, ...others]: readonly string[],
  stored: ApiKey | undefined,
  certificate: ClientCertificate,
): ApiKey | RejectionCause {
  if (first === undefined) return "KEY_MISSING";
  if (others.length > 0) return "KEY_REPEATED";
  if (!hasApiKeyForm(first)) return "KEY_MALFORMED";
  if (!stored) return "KEY_UNKNOWN";
  if (stored.revokedAt !== undefined) return "KEY_REVOKED";
  if (stored.validUntil !== undefined && timestamp() >= stored.validUntil) return "KEY_ROTATED";
  if (stored.tenantId !== certificate.tenantId) return "KEY_OF_ANOTHER_TENANT";
  if (stored.level === "tenant") return stored;
  return certificate.programIds.includes(stored.programId) ? stored : "KEY_OF_ANOTHER_PROGRAM";
}

/** An address listed for one Program opens neither another Program nor the Tenant level. */
function requireAddressForKey(allowed: AllowedFor, key: ApiKey, who: Who): void {
  const isListed = allowed.tenant || (key.level === "program" && allowed.programIds.has(key.programId));
  if (!isListed) {
    throw new Rejection("IP_NOT_AUTHORIZED", "IP_NOT_LISTED_FOR_KEY", withApiUser(who, key));
  }
}

function requireNotSuspended(suspensions: Suspensions | undefined, key: ApiKey, who: Who): void {
  const programId = key.level === "program" ? key.programId : undefined;
  if (!isSuspended(suspensions, { programId })) return;
  throw new Rejection("SUSPENDED", "ACCESS_SUSPENDED", withApiUser(who, key));
}

function noteAllowedWithoutDns(who: Who): void {
  logMeasured("DNS does not answer: an earlier confirmation counts.", { ...who }, () => ({
    AllowedWithoutDns: 1,
  }));
}

function withApiUser(who: Who, key: ApiKey | undefined): Who {
  return key ? { ...who, apiUserId: key.apiUserId } : who;
}

function toCallerContext(key: ApiKey): CallerContext {
  const { tenantId, apiUserId, role, operations } = key;
  const rights = { ...(role && { role }), ...(operations && { operations: operations.join(" ") }) };
  if (key.level === "tenant") return { level: "tenant", tenantId, apiUserId, ...rights };
  const { programId, currency } = key;
  return { level: "program", tenantId, programId, currency: `${currency}`, apiUserId, ...rights };
}

type RejectionCode = Extract<
  ErrorCode,
  "CERTIFICATE_NOT_AUTHORIZED" | "IP_NOT_AUTHORIZED" | "API_KEY_INVALID" | "SUSPENDED" | "UNAVAILABLE"
>;

/** Only the log says it: the caller gets the code. */
type RejectionCause =
  | "CERTIFICATE_MISSING"
  | "CERTIFICATE_UNUSABLE"
  | "CERTIFICATE_UNKNOWN"
  | "CERTIFICATE_REVOKED"
  | "CERTIFICATE_OF_ANOTHER_ENVIRONMENT"
  | "CERTIFICATE_NOT_VALID_NOW"
  | "IP_NOT_LISTED"
  | "IP_NOT_LISTED_FOR_KEY"
  | "IP_NAME_UNCONFIRMED"
  | "DNS_UNAVAILABLE"
  | "KEY_MISSING"
  | "KEY_REPEATED"
  | "KEY_MALFORMED"
  | "KEY_UNKNOWN"
  | "KEY_REVOKED"
  | "KEY_ROTATED"
  | "KEY_OF_ANOTHER_TENANT"
  | "KEY_OF_ANOTHER_PROGRAM"
  | "ACCESS_SUSPENDED";

/** Ids for the log that identify the caller. */
interface Who {
  readonly tenantId?: string;
  readonly certificateId?: string;
  readonly apiUserId?: string;
}

/** Carries the answer's code, and for the log its cause and what is known of the caller. */
export class Rejection extends Error {
  override readonly cause: RejectionCause;
  readonly code: RejectionCode;
  readonly who: Who;

  constructor(code: RejectionCode, cause: RejectionCause, who: Who = {}) {
    super(cause);
    this.code = code;
    this.cause = cause;
    this.who = who;
  }
}

interface StoredCredentials {
  readonly certificate: Certificate | undefined;
  readonly apiKey: ApiKey | undefined;
  /** Where the key may be, and where it is. */
  readonly hashes: readonly KeyHash[];
  readonly keyHash: string | undefined;
  readonly suspensions: Suspensions | undefined;
  readonly ranges: readonly AllowedRange[];
}

/** Every request waits for its authorizer: better an early rejection than a late one. */
const retryBudgetMs = 500;

/**
 * One consistent call reads certificate, suspensions, ranges and key, so that a revocation, a
 * suspension or a removed range applies to the next request.
 */
async function readCredentials(
  { fingerprint, tenantId }: ClientCertificate,
  hashes: readonly KeyHash[],
): Promise<StoredCredentials> {
  const certificateKey = certificates.key(fingerprint);
  const suspensionsKey = suspensions.key(tenantId);
  const listKey = rangeLists.key(tenantId);
  const keys = [certificateKey, suspensionsKey, listKey, ...hashes.map((one) => apiKeys.key(one.keyHash))];
  const items = await withinTime(retryBudgetMs, () =>
    readBatchOf({ tableName: environment.accountsTable, consistent: true }, keys),
  );
  const certificate = items.find((item) => item.pk === certificateKey.pk);
  const suspended = items.find((item) => item.sk === suspensionsKey.sk);
  const findItem = (hash: string) => items.find((item) => item.pk === apiKeys.key(hash).pk);
  const keyHash = hashes.map((hash) => hash.keyHash).find(findItem);
  const apiKey = keyHash === undefined ? undefined : findItem(keyHash);
  return {
    certificate: certificate && Certificate.parse(certificate),
    apiKey: apiKey && ApiKey.parse(apiKey),
    ...{ hashes, keyHash },
    suspensions: suspended && Suspensions.parse(suspended),
    ranges: listedRanges(items.find((item) => item.sk === listKey.sk)),
  };
}

/** Looks again while the pepper is rotated: another process may just have stored the key anew. */
export async function readStored(
  certificate: ClientCertificate,
  [apiKey = ""]: readonly string[],
): Promise<StoredCredentials> {
  if (!hasApiKeyForm(apiKey)) return readCredentials(certificate, []);
  const hashes = await possibleHashes(apiKey);
  const stored = await readCredentials(certificate, hashes);
  if (stored.apiKey) return stored;
  const latest = await possibleHashes(apiKey, { isFresh: true });
  const isSame = latest.length === 1 && latest[0].keyHash === hashes[0].keyHash;
  return isSame ? stored : readCredentials(certificate, latest);
}

/** Under the current pepper, if it was under the other. Until that works, the other is enough. */
async function storeAnew(key: ApiKey, { hashes, keyHash }: StoredCredentials, who: object): Promise<void> {
  const [current] = hashes;
  if (keyHash === undefined || current === undefined || keyHash === current.keyHash) return;
  try {
    const { storeUnderPepper } = await import("../../shared/tenancy/api-keys/store-under-pepper.ts");
    await withinTime(retryBudgetMs, () => storeUnderPepper(key, keyHash, current));
  } catch (error) {
    log.warn("A key was not stored under the new pepper.", { ...who, error });
  }
}
