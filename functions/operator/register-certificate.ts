import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { CommandRejected, requireCommitted } from "../../shared/tenancy/administration/command-rejected.ts";
import type { Actor } from "../../shared/tenancy/audit-log.ts";
import {
  type Certificate,
  certificates,
  type TenantCertificate,
} from "../../shared/tenancy/certificates/certificate.ts";
import { registerVouched } from "../../shared/tenancy/certificates/certificate-change.ts";
import {
  CertificateUnusableError,
  type ClientCertificate,
  readClientCertificate,
} from "../../shared/tenancy/certificates/client-certificate.ts";
import { isSharedDomain } from "../../shared/tenancy/certificates/shared-domain.ts";
import type { Command } from "./command.ts";

/**
 * Without an OU the certificate is good for Tenant-level keys alone. A repetition gives the same
 * answer and does not undo a revocation.
 * @throws CommandRejected if the certificate is unusable or expired, or names a Tenant that does
 * not exist or a Program that is not the Tenant's
 */
export const registerCertificate: Command<"register-certificate"> = async ({ certificatePem }, actor) => {
  const presented = read(certificatePem);
  const known = await certificates.at(presented.fingerprint).get();
  if (known) return answer(known);
  if (presented.notAfter <= now()) throw new CommandRejected("The certificate is expired.");
  const shared = presented.domains.filter(isSharedDomain);
  if (shared.length > 0) {
    throw new CommandRejected(
      `Not a domain of the Tenant's own, since others have names there: ${shared.join(", ")}.`,
    );
  }
  const certificate = toItem(presented, certificatePem, actor);
  const outcome = await registerVouched(certificate, actor);
  const raced = outcome.committed ? undefined : await certificates.at(presented.fingerprint).get();
  if (!raced) requireCommitted(outcome);
  return answer(raced ?? certificate);
};

function read(certificatePem: string): ClientCertificate {
  try {
    return readClientCertificate(certificatePem);
  } catch (error) {
    if (error instanceof CertificateUnusableError) throw new CommandRejected(error.message);
    throw error;
  }
}

function toItem(presented: ClientCertificate, certificatePem: string, actor: Actor): TenantCertificate {
  return {
    certificateId: newId("certificate"),
    tenantId: presented.tenantId,
    programIds: [...presented.programIds],
    domains: [...presented.domains],
    environment: environment.name,
    fingerprint: presented.fingerprint,
    serialNumber: presented.serialNumber,
    notAfter: timestamp(presented.notAfter),
    certificatePem,
    createdAt: actor.at,
    createdBy: actor.by,
  };
}

function answer({ certificateId, serialNumber, notAfter }: Certificate) {
  return { certificateId, serialNumber, notAfter };
}
