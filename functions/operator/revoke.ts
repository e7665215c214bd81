import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/environment.ts";
import { table } from "../../shared/table/client.ts";
import type { Key } from "../../shared/table/keys.ts";
import type { Audit } from "./command.ts";

/** Marks a credential as revoked. The first revocation stands: when and by whom it happened is evidence. */
export async function revoke(key: Key, audit: Audit): Promise<void> {
  await table.send(
    new UpdateCommand({
      TableName: environment.accountsTable,
      Key: key,
      UpdateExpression:
        "SET revokedAt = if_not_exists(revokedAt, :at), revokedBy = if_not_exists(revokedBy, :by)",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":at": audit.at, ":by": audit.by },
    }),
  );
}
