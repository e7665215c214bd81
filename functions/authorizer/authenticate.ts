import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { type AllowedFor, allowedFor, allowedRanges } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { type ApiKey, hasApiKeyForm, hashApiKey } from "../../shared/tenancy/api-keys/api-key.ts";
import type { Certificate } from "../../shared/tenancy/certificates/certificate.ts";
import {
  CertificateUnusableError,
  type ClientCertificate,
  readClientCertificate,
} from "../../shared/tenancy/certificates/client-certificate.ts";
import { isSuspended, type Suspensions } from "../../shared/tenancy/suspension.ts";
import { BoundedMap } from "./bounded-map.ts";
import { type NameVerdict, nameVerdict } from "./confirmed-name.ts";
import type { CallerContext } from "./policy.ts";
import type { PresentedCredentials } from "./presented-credentials.ts";
import { Refusal, type RefusalCause, type Who } from "./refusal.ts";
import { readCredentials } from "./stored-credentials.ts";

/**
 * Checks certificate, address and key in this order, then suspension, which only valid credentials reveal.
 * All reads run side by side: one round trip to the table, plus the bounded wait for DNS.
 * @throws Refusal
 */
export async function authenticate(presented: PresentedCredentials): Promise<CallerContext> {
  const certificate = readPresented(presented.certificatePem);
  const { tenantId } = certificate;
  const [stored, ranges, name] = await Promise.all([
    hashOf(presented.apiKeys).then((keyHash) => readCredentials(certificate, keyHash)),
    allowedRanges.list(tenantId),
    nameVerdict(presented.ip, certificate.domains),
  ]);
  const who = requireCertificate(certificate, stored.certificate);
  const allowed = allowedFor(presented.ip, ranges);
  requireAddress(allowed, name, certificate, who);
  const key = requireKey(presented.apiKeys, stored.apiKey, certificate, who);
  requireAddressOfKey(allowed, key, who);
  requireNotSuspended(stored.suspensions, key, who);
  if (name === "recentlyConfirmed") noteAllowedWithoutDns(who);
  return contextOf(key);
}

/** Parsing a certificate is the slowest step here, and its content never changes. */
const readBefore = new BoundedMap<string, ClientCertificate>(100);

function readPresented(pem: string | undefined): ClientCertificate {
  if (pem === undefined) throw new Refusal("CERTIFICATE_NOT_AUTHORIZED", "CERTIFICATE_MISSING");
  try {
    const certificate = readBefore.get(pem) ?? readClientCertificate(pem);
    readBefore.set(pem, certificate);
    return certificate;
  } catch (error) {
    if (!(error instanceof CertificateUnusableError)) throw error;
    throw new Refusal("CERTIFICATE_NOT_AUTHORIZED", "CERTIFICATE_UNUSABLE");
  }
}

/** Undefined if the header cannot be a key. */
async function hashOf([apiKey]: readonly string[]): Promise<string | undefined> {
  return apiKey !== undefined && hasApiKeyForm(apiKey) ? hashApiKey(apiKey) : undefined;
}

function requireCertificate(certificate: ClientCertificate, stored: Certificate | undefined): Who {
  const who: Who = { tenantId: certificate.tenantId, ...(stored && { certificateId: stored.certificateId }) };
  const cause = certificateFault(certificate, stored);
  if (cause) throw new Refusal("CERTIFICATE_NOT_AUTHORIZED", cause, who);
  return who;
}

function certificateFault(
  certificate: ClientCertificate,
  stored: Certificate | undefined,
): RefusalCause | undefined {
  if (!stored) return "CERTIFICATE_UNKNOWN";
  if (stored.revokedAt !== undefined) return "CERTIFICATE_REVOKED";
  if (stored.environment !== environment.name) return "CERTIFICATE_OF_ANOTHER_ENVIRONMENT";
  const at = now();
  if (at < certificate.notBefore || at >= certificate.notAfter) return "CERTIFICATE_NOT_VALID_NOW";
  return undefined;
}

/**
 * The address must be on the Tenant's list or on that of a Program in the certificate. Nothing may depend on
 * the key yet: `requireAddressOfKey` checks the key's own Program.
 */
function requireAddress(
  allowed: AllowedFor,
  name: NameVerdict,
  { programIds }: ClientCertificate,
  who: Who,
): void {
  const isListed = allowed.tenant || programIds.some((programId) => allowed.programIds.has(programId));
  if (!isListed) throw new Refusal("IP_NOT_AUTHORIZED", "IP_NOT_LISTED", who);
  if (name === "unconfirmed") throw new Refusal("IP_NOT_AUTHORIZED", "IP_NAME_UNCONFIRMED", who);
  if (name === "unavailable") throw new Refusal("UNAVAILABLE", "DNS_UNAVAILABLE", who);
}

function requireKey(
  presented: readonly string[],
  stored: ApiKey | undefined,
  certificate: ClientCertificate,
  who: Who,
): ApiKey {
  const cause = keyFault(presented, stored, certificate);
  if (!cause && stored) return stored;
  throw new Refusal("API_KEY_INVALID", cause ?? "KEY_UNKNOWN", { ...who, ...apiUserOf(stored) });
}

function keyFault(
  [first, ...others]: readonly string[],
  stored: ApiKey | undefined,
  certificate: ClientCertificate,
): RefusalCause | undefined {
  if (first === undefined) return "KEY_MISSING";
  if (others.length > 0) return "KEY_REPEATED";
  if (!hasApiKeyForm(first)) return "KEY_MALFORMED";
  if (!stored) return "KEY_UNKNOWN";
  if (stored.revokedAt !== undefined) return "KEY_REVOKED";
  if (stored.validUntil !== undefined && timestamp() >= stored.validUntil) return "KEY_ROTATED";
  if (stored.tenantId !== certificate.tenantId) return "KEY_OF_ANOTHER_TENANT";
  if (stored.level === "tenant") return undefined;
  return certificate.programIds.includes(stored.programId) ? undefined : "KEY_OF_ANOTHER_PROGRAM";
}

/** An address listed for one Program opens neither another Program nor the Tenant level. */
function requireAddressOfKey(allowed: AllowedFor, key: ApiKey, who: Who): void {
  const isListed = allowed.tenant || (key.level === "program" && allowed.programIds.has(key.programId));
  if (!isListed) {
    throw new Refusal("IP_NOT_AUTHORIZED", "IP_NOT_LISTED_FOR_KEY", { ...who, ...apiUserOf(key) });
  }
}

function requireNotSuspended(suspensions: Suspensions | undefined, key: ApiKey, who: Who): void {
  const programId = key.level === "program" ? key.programId : undefined;
  if (!isSuspended(suspensions, { programId })) return;
  throw new Refusal("SUSPENDED", "ACCESS_SUSPENDED", { ...who, ...apiUserOf(key) });
}

function noteAllowedWithoutDns(who: Who): void {
  logMeasured("DNS does not answer: an earlier confirmation counts.", { ...who }, () => ({
    AllowedWithoutDns: 1,
  }));
}

function apiUserOf(key: ApiKey | undefined): Who {
  return key ? { apiUserId: key.apiUserId } : {};
}

function contextOf(key: ApiKey): CallerContext {
  const { tenantId, apiUserId } = key;
  if (key.level === "tenant") return { level: "tenant", tenantId, apiUserId };
  const { programId, currency } = key;
  return { level: "program", tenantId, programId, currency: `${currency}`, apiUserId };
}
