import { createHash, X509Certificate } from "node:crypto";
import { id } from "../../contract/primitives.ts";

export interface ClientCertificate {
  /** SHA-256 of the DER, in lower-case hex. */
  readonly fingerprint: string;
  readonly tenantId: string;
  readonly programIds: readonly string[];
  /** DNS names of the subject alternative name: lower case, no wildcard, at least two labels. */
  readonly domains: readonly string[];
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The certificate cannot be one of the platform's. */
export class CertificateUnusableError extends Error {
  override readonly name = "CertificateUnusableError";
}

const tenantIdForm = id("tenant");
const programIdForm = id("program");
const maximumPemLength = 16_384;
/** Programs, and domains, that one certificate may name. */
export const maximumEntries = 50;
const oneCertificate = /^\s*-----BEGIN CERTIFICATE-----\r?\n[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----\s*$/;
const domainName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * One O, a tenantId; OUs, each a programId; only DNS names in the subject alternative name. Without
 * an OU it works only with a Tenant-level key. Anything else in these places makes the certificate
 * unusable, so that no text in a value can pass for another field.
 * @throws CertificateUnusableError
 */
export function readClientCertificate(pem: string): ClientCertificate {
  const certificate = parse(pem);
  const subject = readSubject(certificate);
  return {
    fingerprint: createHash("sha256").update(certificate.raw).digest("hex"),
    tenantId: readTenantId(subject),
    programIds: readProgramIds(subject),
    domains: readDomains(certificate.subjectAltName),
    serialNumber: certificate.serialNumber.toLowerCase(),
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
  };
}

function parse(pem: string): X509Certificate {
  if (pem.length > maximumPemLength || !oneCertificate.test(pem)) {
    throw new CertificateUnusableError("It is not one PEM certificate.");
  }
  try {
    return new X509Certificate(pem);
  } catch {
    throw new CertificateUnusableError("It is not an X.509 certificate.");
  }
}

type Subject = Partial<Record<string, string | string[]>>;

/**
 * `X509Certificate.subject` is text in which a value can look like an attribute; the legacy object
 * keeps values apart.
 */
function readSubject(certificate: X509Certificate): Subject {
  return certificate.toLegacyObject().subject as unknown as Subject;
}

function readTenantId(subject: Subject): string {
  const organization = tenantIdForm.safeParse(subject.O);
  if (!organization.success) throw new CertificateUnusableError("Its O is not one Tenant.");
  return organization.data;
}

function readProgramIds(subject: Subject): string[] {
  const units = [subject.OU ?? []].flat();
  const programIds = units.filter((unit) => programIdForm.safeParse(unit).success);
  const distinct = new Set(programIds).size === units.length;
  if (!distinct || units.length > maximumEntries) {
    throw new CertificateUnusableError("Its OUs are not distinct Programs.");
  }
  return programIds;
}

/** Node quotes a name that could pass for several, so plain text is what each entry has to be. */
function readDomains(subjectAltName: string | undefined): string[] {
  const entries = subjectAltName?.split(", ") ?? [];
  const domains = entries.map((entry) => (entry.startsWith("DNS:") ? entry.slice(4).toLowerCase() : ""));
  if (entries.length === 0 || entries.length > maximumEntries || !domains.every(isDomainName)) {
    throw new CertificateUnusableError("Its subject alternative names are not domains.");
  }
  return domains;
}

/**
 * A lower-case host name of two labels or more: a certificate for `com` would match half of the
 * Internet.
 */
export function isDomainName(name: string): boolean {
  return domainName.test(name);
}
