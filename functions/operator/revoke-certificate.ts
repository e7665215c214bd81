import { revokeCertificate as revokeCertificateOf } from "../../shared/tenancy/certificates/certificate-change.ts";
import type { Command } from "./command.ts";

/**
 * Revokes a client certificate, as DELETE /account/certificates/{certificateId} does. Revoking it again changes nothing.
 *
 * @throws CommandRefused when the Tenant has no such certificate, or it has expired
 */
export const revokeCertificate: Command<"revoke-certificate"> = async (
  { tenantId, certificateId },
  actor,
) => {
  await revokeCertificateOf(tenantId, certificateId, actor);
  return { certificateId };
};
