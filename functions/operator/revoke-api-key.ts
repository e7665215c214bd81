import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/environment.ts";
import { table } from "../../shared/table/client.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { ApiUser } from "../../shared/tenant/api-key.ts";
import { type Command, CommandRefused } from "./command.ts";
import { revoke } from "./revoke.ts";

/**
 * Revokes an API key: the very next request with it is refused. Revoking it again changes nothing.
 *
 * @throws CommandRefused when the Tenant has no such API user.
 */
export const revokeApiKey: Command<"revoke-api-key"> = async ({ tenantId, apiUserId }, audit) => {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.apiUser(tenantId, apiUserId),
      ConsistentRead: true,
    }),
  );
  if (!Item) throw new CommandRefused(`API user ${apiUserId} of Tenant ${tenantId} does not exist.`);
  await revoke(accountsKey.apiKey(ApiUser.parse(Item).keyHash), audit);
  return { apiUserId };
};
