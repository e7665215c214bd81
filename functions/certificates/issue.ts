import { certificateDays } from "../../shared/contract/account-access.ts";
import { dayMs, now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import type { TransactionOutcome } from "../../shared/platform/table/transact.ts";
import { requireCommitted } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Actor, toActor } from "../../shared/tenancy/audit-log.ts";
import { type TenantCertificate, toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import { registerIssued, requireRoom } from "../../shared/tenancy/certificates/certificate-change.ts";
import {
  isDomainName,
  maximumEntries,
  readClientCertificate,
} from "../../shared/tenancy/certificates/client-certificate.ts";
import { getIssuingAuthority } from "./authorities.ts";
import type { Command } from "./command.ts";
import { signClientCertificate } from "./sign-certificate.ts";
import "../../shared/platform/reflect.ts";
import { createPublicKey } from "node:crypto";
import { Pkcs10CertificateRequest, type PublicKey, SubjectAlternativeNameExtension } from "@peculiar/x509";
import type { Fault } from "../../shared/contract/errors.ts";
import { isSharedDomain } from "../../shared/tenancy/certificates/shared-domain.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";

/**
 * @throws ApiError VALIDATION_FAILED with every fault of the request; LIMIT_REACHED if two are
 * active for the same Programs
 */
export const issueCertificate: Operations["POST /account/certificates"] = async (request) => {
  const { tenantId } = request.scope;
  const applicant = { tenantId, mayNameNone: false };
  const { certificate, outcome } = await signRequest(request.body.csr, applicant, toActor(request));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return { ...toCertificateView(certificate), certificate: certificate.certificatePem };
};

/**
 * A Tenant's first certificate comes from here: the API needs one. It may name no Program, and is
 * then good for Tenant-level keys alone.
 * @throws CommandRejected if the Tenant does not exist, the request is invalid, or two are active
 */
export const issueForTenant: Command<"issue-certificate"> = async ({ tenantId, csr }, actor) => {
  const { certificate, outcome } = await signRequest(csr, { tenantId, mayNameNone: true }, actor);
  requireCommitted(outcome);
  const { certificateId, certificatePem, serialNumber, notAfter } = certificate;
  return { certificateId, certificate: certificatePem, serialNumber, notAfter };
};

export interface Issued {
  readonly certificate: TenantCertificate;
  readonly outcome: TransactionOutcome;
}

/** Clocks of callers and the platform may differ. */
const backdatedMs = 300_000;

/**
 * Signs a request for 90 days and registers it. The outcome fails if the Tenant does not exist.
 * @throws ApiError VALIDATION_FAILED with every fault; LIMIT_REACHED if two are active for the same
 * Programs
 */
async function signRequest(csr: string, applicant: Applicant, actor: Actor): Promise<Issued> {
  const request = readCertificateRequest(csr);
  if (!request) throw new ApiError("VALIDATION_FAILED", [unreadable]);
  const faults = await requestFaults(request, applicant);
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const programIds = [...request.organizationalUnits];
  const count = await requireRoom(applicant.tenantId, programIds);
  const { name, certificatePem } = await sign(request, applicant.tenantId, programIds);
  const { serialNumber, fingerprint, domains, notAfter } = readClientCertificate(certificatePem);
  const certificate = {
    certificateId: newId("certificate"),
    tenantId: applicant.tenantId,
    programIds,
    domains: [...domains],
    environment: environment.name,
    fingerprint,
    serialNumber,
    notAfter: timestamp(notAfter),
    certificatePem,
    authority: name,
    createdAt: actor.at,
    createdBy: actor.by,
  };
  return { certificate, outcome: await registerIssued(certificate, count, actor) };
}

async function sign(request: CertificateRequest, tenantId: string, programIds: readonly string[]) {
  const authority = await getIssuingAuthority();
  // A certificate's times have no milliseconds.
  const atMs = Math.floor(now().getTime() / 1000) * 1000;
  const endMs = Math.min(atMs + certificateDays * dayMs, Date.parse(authority.notAfter));
  if (endMs <= atMs) throw new Error(`The certificate authority ${authority.name} has expired.`);
  const names = request.alternativeNames.map(({ value }) => value.toLowerCase());
  const certificatePem = await signClientCertificate(authority, {
    tenantId,
    programIds,
    domains: [...new Set(names)],
    publicKey: request.publicKey,
    notBefore: new Date(atMs - backdatedMs),
    notAfter: new Date(endMs),
  });
  return { name: authority.name, certificatePem };
}

/** What a certificate signing request claims; nothing of it is verified yet. */
interface CertificateRequest {
  readonly organizations: readonly string[];
  readonly organizationalUnits: readonly string[];
  readonly alternativeNames: readonly { readonly type: string; readonly value: string }[];
  readonly publicKey: PublicKey;
  readonly hasStrongKey: boolean;
  /** Whether SHA-256 or a longer hash is signed. */
  readonly hasStrongHash: boolean;
  /** Proves that the requester has the private key. */
  isSelfSigned(): Promise<boolean>;
}

const oneRequest =
  /^\s*-----BEGIN (NEW )?CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1?CERTIFICATE REQUEST-----\s*$/;
const alternativeNameType = "2.5.29.17";
const strongHashes = new Set(["SHA-256", "SHA-384", "SHA-512"]);
const rsaBits = { minimum: 2048, maximum: 8192 };
/** The least that FIPS 186-5 permits; a smaller one makes weak padding forgeable. */
const smallestExponent = 65_537n;

/** Reads one PKCS#10 request in PEM, else undefined: the parser throws errors of any kind. */
function readCertificateRequest(pem: string): CertificateRequest | undefined {
  const base64 = oneRequest.exec(pem)?.[2];
  if (base64 === undefined) return undefined;
  try {
    return readContent(new Pkcs10CertificateRequest(Buffer.from(base64, "base64")));
  } catch {
    return undefined;
  }
}

function readContent(request: Pkcs10CertificateRequest): CertificateRequest {
  const attributes = request.subjectName.toJSON();
  const readValues = (type: string) => attributes.flatMap((attribute) => attribute[type] ?? []);
  const names = request.getExtension(alternativeNameType);
  const algorithm: { hash?: { name?: string } } = request.signatureAlgorithm;
  return {
    organizations: readValues("O"),
    organizationalUnits: readValues("OU"),
    alternativeNames: names instanceof SubjectAlternativeNameExtension ? [...names.names.items] : [],
    publicKey: request.publicKey,
    hasStrongKey: isStrong(request.publicKey),
    hasStrongHash: strongHashes.has(algorithm.hash?.name ?? ""),
    isSelfSigned: () => request.verify().catch(() => false),
  };
}

/** RSA of 2048 bits or more, or the curve P-256, by its name. */
function isStrong({ algorithm, rawData }: PublicKey): boolean {
  const { name, namedCurve }: { name?: string; namedCurve?: string } = algorithm;
  if (name === "ECDSA") return namedCurve === "P-256";
  if (name !== "RSASSA-PKCS1-v1_5") return false;
  const key = createPublicKey({ key: Buffer.from(rawData), format: "der", type: "spki" });
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  const isLong = modulusLength >= rsaBits.minimum && modulusLength <= rsaBits.maximum;
  return isLong && publicExponent >= smallestExponent;
}

export interface Applicant {
  readonly tenantId: string;
  /** Whether it may name no Program; only platform administration permits that. */
  readonly mayNameNone: boolean;
}

const fault = (code: string, message: string): Fault => ({ path: "body.csr", code, message });

export const unreadable = fault("not_a_csr", "must be one PKCS#10 certificate signing request, in PEM");

/** Names a fault by its position: the text itself is the caller's. */
async function requestFaults(request: CertificateRequest, applicant: Applicant): Promise<Fault[]> {
  return [
    ...(await keyFaults(request)),
    ...organizationFaults(request, applicant),
    ...(await unitFaults(request, applicant)),
    ...domainFaults(request),
  ];
}

async function keyFaults(request: CertificateRequest): Promise<Fault[]> {
  if (!request.hasStrongKey) {
    const message = "its key must be RSA of 2048 to 8192 bits with an exponent of at least 65537, or P-256";
    return [fault("weak_key", message)];
  }
  if (!request.hasStrongHash) {
    return [fault("weak_signature", "must be signed with SHA-256, SHA-384 or SHA-512")];
  }
  return (await request.isSelfSigned()) ? [] : [fault("bad_signature", "must be signed with its own key")];
}

function organizationFaults({ organizations }: CertificateRequest, { tenantId }: Applicant): Fault[] {
  if (organizations.length === 0) {
    return [fault("organization_missing", `its subject must have the Tenant's id as O: ${tenantId}`)];
  }
  const isTenant = organizations.length === 1 && organizations[0] === tenantId;
  return isTenant ? [] : [fault("wrong_organization", `must have one O, the Tenant's id: ${tenantId}`)];
}

async function unitFaults(
  { organizationalUnits: units }: CertificateRequest,
  { tenantId, mayNameNone }: Applicant,
): Promise<Fault[]> {
  if (units.length === 0 && !mayNameNone) {
    return [fault("program_missing", "its subject must have the id of a Program of the Tenant as OU")];
  }
  if (units.length > maximumEntries) {
    return [fault("too_many_programs", `must not have more than ${maximumEntries} OUs`)];
  }
  const faults = await Promise.all(
    units.map(async (unit, index) => {
      if (units.indexOf(unit) < index) return [fault("repeated_program", `OU ${index + 1} is a duplicate`)];
      const program = await readProgram(unit);
      const isOwn = program?.tenantId === tenantId;
      return isOwn
        ? []
        : [fault("unknown_program", `OU ${index + 1} must be the id of a Program of the Tenant`)];
    }),
  );
  return faults.flat();
}

const mustBeOwn =
  "must be a domain of the Tenant's own, not a public suffix or a domain that a provider's customers share";

function domainFaults({ alternativeNames: names }: CertificateRequest): Fault[] {
  if (names.length === 0) {
    return [fault("domain_missing", "must have a subject alternative name: a domain of the caller's hosts")];
  }
  if (names.length > maximumEntries) {
    return [fault("too_many_domains", `must not have more than ${maximumEntries} subject alternative names`)];
  }
  return names.flatMap(({ type, value }, index) => {
    const name = `subject alternative name ${index + 1}`;
    if (type !== "dns") return [fault("not_a_domain", `${name} must be a DNS name`)];
    if (value.includes("*")) return [fault("wildcard", `${name} must not be a wildcard`)];
    const domain = value.toLowerCase();
    if (!isDomainName(domain)) return [fault("bad_domain", `${name} must be a domain of two labels or more`)];
    return isSharedDomain(domain) ? [fault("shared_domain", `${name} ${mustBeOwn}`)] : [];
  });
}
