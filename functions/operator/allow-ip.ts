import { requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import { allowRange } from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { canonicalCidr } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import type { Command } from "./command.ts";

/**
 * Puts a range of any width on the allowlist of the whole Tenant, or of one Program. The answer has its canonical form, under which the
 * same range given again is the same entry.
 *
 * @throws CommandRefused when there is no such Tenant, or no such Program of it; LIMIT_REACHED
 */
export const allowIp: Command<"allow-ip"> = async ({ tenantId, programId, cidr }, actor) => {
  const range = { cidr: canonicalCidr(cidr), programId };
  const { entry, outcome } = await allowRange(tenantId, range, actor);
  requireCommitted(outcome);
  return { cidr: entry.cidr };
};
