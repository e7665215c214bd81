import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/environment.ts";
import { table } from "../../shared/table/client.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { CertificateOf } from "../../shared/tenant/certificate.ts";
import { type Command, CommandRefused } from "./command.ts";
import { revoke } from "./revoke.ts";

/**
 * Revokes a client certificate: the very next request on it is refused, on open connections too. Revoking it again changes nothing.
 *
 * @throws CommandRefused when the Tenant has no such certificate.
 */
export const revokeCertificate: Command<"revoke-certificate"> = async (
  { tenantId, certificateId },
  audit,
) => {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.certificateOf(tenantId, certificateId),
      ConsistentRead: true,
    }),
  );
  if (!Item) throw new CommandRefused(`Certificate ${certificateId} of Tenant ${tenantId} does not exist.`);
  await revoke(accountsKey.certificate(CertificateOf.parse(Item).fingerprint), audit);
  return { certificateId };
};
