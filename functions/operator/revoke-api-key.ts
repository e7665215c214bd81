import { CommandRefused } from "../../shared/tenancy/administration/command-refused.ts";
import { apiUsers } from "../../shared/tenancy/api-keys/api-user.ts";
import { revokeApiUser } from "../../shared/tenancy/api-keys/api-user-change.ts";
import type { Command } from "./command.ts";

/**
 * Revokes an API user with its keys: the very next request with one is refused. Revoking it again changes nothing.
 *
 * @throws CommandRefused when the Tenant has no such API user.
 */
export const revokeApiKey: Command<"revoke-api-key"> = async ({ tenantId, apiUserId }, actor) => {
  const user = await apiUsers.at(tenantId, apiUserId).get();
  if (!user) throw new CommandRefused(`API user ${apiUserId} of Tenant ${tenantId} does not exist.`);
  await revokeApiUser(user, actor);
  return { apiUserId };
};
