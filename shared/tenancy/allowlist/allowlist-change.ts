import { type AllowedIpView, maximumAllowedRanges } from "../../contract/account-access.ts";
import { ApiError, invalid, limitReached } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { any, below, isNew } from "../../platform/table/condition.ts";
import { type TransactionOutcome, transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { programExists } from "../programs/tenant-program.ts";
import { tenantExists } from "../tenant.ts";
import { type AllowedIp, allowedIps, canonicalCidr, rangeLists } from "./ip-allowlist.ts";

/** The widest ranges allowed, by prefix length: the most that one organization gets. */
const shortestPrefix = { ipv4: 16, ipv6: 32 };

/**
 * The canonical form; an address is a range of its own.
 * @throws ApiError VALIDATION_FAILED for a range wider than any caller needs
 */
export function requireNarrow(given: string): string {
  const isIpv6 = given.includes(":");
  const cidr = canonicalCidr(given.includes("/") ? given : `${given}/${isIpv6 ? 128 : 32}`);
  const shortest = cidr.includes(":") ? shortestPrefix.ipv6 : shortestPrefix.ipv4;
  if (Number(cidr.split("/")[1]) >= shortest) return cidr;
  throw invalid("body.cidr", "too_wide", `must not be wider than /${shortest}`);
}

const entryWrite = "allowlist entry";
const listWrite = "allowlist count";

/**
 * Adds a range for the whole Tenant or one Program. The same range is the same entry.
 * @throws ApiError LIMIT_REACHED at 50 ranges. Other failed conditions name the missing Tenant or
 * Program.
 */
export async function allowRange(
  tenantId: string,
  { cidr, programId }: { readonly cidr: string; readonly programId?: string | undefined },
  actor: Actor,
): Promise<{ readonly entry: AllowedIp; readonly outcome: TransactionOutcome }> {
  const entry: AllowedIp = {
    entryId: newId("allowedIp"),
    tenantId,
    ...(programId && { programId }),
    cidr,
    createdAt: actor.at,
    createdBy: actor.by,
  };
  const outcome = await transact([
    programId ? programExists(tenantId, programId) : tenantExists(tenantId),
    allowedIps.at(tenantId, programId ?? "*", cidr).create(entry),
    ...noted(entry, 1, actor),
  ]);
  if (outcome.committed) return { entry, outcome };
  const { failedConditions } = outcome;
  const ownerExists = [...failedConditions.keys()].every((name) => name === entryWrite || name === listWrite);
  if (ownerExists && failedConditions.has(entryWrite)) {
    return { entry: allowedIps.parse(failedConditions.get(entryWrite) ?? {}), outcome: { committed: true } };
  }
  if (ownerExists) throw limitReached(maximumAllowedRanges, "IP ranges");
  return { entry, outcome };
}

/**
 * The next request from there is rejected.
 * @throws ApiError NOT_FOUND if another request removed it first
 */
export async function removeRange(entry: AllowedIp, actor: Actor): Promise<void> {
  const { tenantId, programId, cidr, entryId } = entry;
  const { committed } = await transact([
    allowedIps.at(tenantId, programId ?? "*", cidr).delete({ entryId }),
    ...noted(entry, -1, actor),
  ]);
  if (!committed) throw new ApiError("NOT_FOUND");
}

export function toAllowedIpView({ entryId, cidr, programId, createdAt }: AllowedIp): AllowedIpView {
  return { entryId, cidr, programId, dateCreated: createdAt };
}

/** In the Tenant's list and in the audit log. */
function noted(entry: AllowedIp, change: 1 | -1, actor: Actor): WriteAction[] {
  const { tenantId, programId, cidr, entryId: subjectId } = entry;
  const allowed = new Set([allowedIps.key(tenantId, programId ?? "*", cidr).sk]);
  const list = rangeLists.at(tenantId);
  const view = toAllowedIpView(entry);
  const told = { tenantId, programId, subjectId };
  if (change < 0)
    return [
      list.update({ add: { ranges: -1 }, discard: { allowed } }),
      auditPut(actor, { ...told, action: "ip-allowlist.remove", before: view, after: null }),
    ];
  return [
    list.update({ add: { ranges: 1, allowed } }, any(isNew, { ranges: below(maximumAllowedRanges) })),
    auditPut(actor, { ...told, action: "ip-allowlist.add", before: null, after: view }),
  ];
}
