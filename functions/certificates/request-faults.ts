import type { Fault } from "../../shared/contract/errors.ts";
import { isDomainName, maximumEntries } from "../../shared/tenancy/certificates/client-certificate.ts";
import { isSharedDomain } from "../../shared/tenancy/certificates/shared-domain.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import type { CertificateRequest } from "./certificate-request.ts";

export interface Applicant {
  readonly tenantId: string;
  /** Whether it may name no Program; only platform administration permits that. */
  readonly mayNameNone: boolean;
}

const fault = (code: string, message: string): Fault => ({ path: "body.csr", code, message });

export const unreadable = fault("not_a_csr", "must be one PKCS#10 certificate signing request, in PEM");

/** Names a fault by its position: the text itself is the caller's. */
export async function requestFaults(request: CertificateRequest, applicant: Applicant): Promise<Fault[]> {
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
  return (await request.isSelfSigned())
    ? []
    : [fault("bad_signature", "its signature must be that of its own key")];
}

function organizationFaults({ organizations }: CertificateRequest, { tenantId }: Applicant): Fault[] {
  if (organizations.length === 0) {
    return [fault("organization_missing", `its subject must have the Tenant's id as O: ${tenantId}`)];
  }
  const isTenant = organizations.length === 1 && organizations[0] === tenantId;
  return isTenant ? [] : [fault("wrong_organization", `its one O must be the Tenant's id: ${tenantId}`)];
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
      if (units.indexOf(unit) < index) return [fault("repeated_program", `OU ${index + 1} is there already`)];
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
    if (type !== "dns") return [fault("not_a_domain", `${name} must be a DNS name, and is of another kind`)];
    if (value.includes("*")) return [fault("wildcard", `${name} must not be a wildcard`)];
    const domain = value.toLowerCase();
    if (!isDomainName(domain)) return [fault("bad_domain", `${name} must be a domain of two labels or more`)];
    return isSharedDomain(domain) ? [fault("shared_domain", `${name} ${mustBeOwn}`)] : [];
  });
}
