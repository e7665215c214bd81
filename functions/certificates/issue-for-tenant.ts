import { requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import type { Command } from "./command.ts";
import { signRequest } from "./sign-request.ts";

/**
 * Signs a certificate for a Tenant on the platform's word, its first one above all: with none, nobody of it gets in to ask for one. It may name no
 * Program; then it is good for Tenant-level keys alone.
 *
 * @throws CommandRefused when there is no such Tenant, or its request is at fault, or two are active for the same Programs
 */
export const issueForTenant: Command<"issue-certificate"> = async ({ tenantId, csr }, actor) => {
  const { certificate, outcome } = await signRequest(csr, { tenantId, mayNameNone: true }, actor);
  requireCommitted(outcome);
  const { certificateId, certificatePem, serialNumber, notAfter } = certificate;
  return { certificateId, certificate: certificatePem, serialNumber, notAfter };
};
