import { environment } from "../../shared/environment.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact } from "../../shared/table/transact.ts";
import { type AllowedIp, canonicalCidr } from "../../shared/tenant/ip-allowlist.ts";
import type { Command } from "./command.ts";
import { programExists, requireCommitted, tenantExists } from "./existence.ts";

const entry = "allowlist entry";

/**
 * Puts a range on the allowlist of the whole Tenant, or of one Program. The answer has its canonical form, under which the
 * same range given again is the same entry.
 *
 * @throws CommandRefused when there is no such Tenant, or no such Program of it.
 */
export const allowIp: Command<"allow-ip"> = async ({ tenantId, programId, cidr: given }, audit) => {
  const cidr = canonicalCidr(given);
  const allowed: AllowedIp = {
    tenantId,
    ...(programId && { programId }),
    cidr,
    createdAt: audit.at,
    createdBy: audit.by,
  };
  const outcome = await transact([
    programId ? programExists(tenantId, programId) : tenantExists(tenantId),
    {
      name: entry,
      Put: {
        TableName: environment.accountsTable,
        Item: { ...accountsKey.allowedIp(tenantId, programId ?? "*", cidr), ...allowed },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
  ]);
  const isThere = !outcome.committed && outcome.refusals.has(entry) && outcome.refusals.size === 1;
  if (!isThere) requireCommitted(outcome);
  return { cidr };
};
