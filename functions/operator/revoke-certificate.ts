import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/environment.ts";
import { table } from "../../shared/table/client.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact } from "../../shared/table/transact.ts";
import { auditPut } from "../../shared/tenant/audit.ts";
import { CertificateOf } from "../../shared/tenant/certificate.ts";
import { type Command, CommandRefused } from "./command.ts";

/**
 * Revokes a client certificate: the very next request on it is refused, on open connections too. The first revocation stands: when and by whom it
 * happened is evidence.
 *
 * @throws CommandRefused when the Tenant has no such certificate.
 */
export const revokeCertificate: Command<"revoke-certificate"> = async (
  { tenantId, certificateId },
  actor,
) => {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.certificateOf(tenantId, certificateId),
      ConsistentRead: true,
    }),
  );
  if (!Item) throw new CommandRefused(`Certificate ${certificateId} of Tenant ${tenantId} does not exist.`);
  await transact([
    {
      name: "certificate",
      Update: {
        TableName: environment.accountsTable,
        Key: accountsKey.certificate(CertificateOf.parse(Item).fingerprint),
        UpdateExpression: "SET revokedAt = :at, revokedBy = :by",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(revokedAt)",
        ExpressionAttributeValues: { ":at": actor.at, ":by": actor.by },
      },
    },
    auditPut(
      {
        tenantId,
        action: "certificate.revoke",
        subjectId: certificateId,
        before: {},
        after: { revokedAt: actor.at },
      },
      actor,
    ),
  ]);
  return { certificateId };
};
