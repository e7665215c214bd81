import { ApiError } from "../../shared/platform/http/api-error.ts";
import { inLanes } from "../../shared/platform/in-lanes.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { CommandRejected, requireCommitted } from "../../shared/tenancy/administration/command-rejected.ts";
import { allowRange, removeRange, toAllowedIpView } from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { type AllowedIp, allowedIps, canonicalCidr } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import {
  type ApiUser,
  apiUsers,
  changeApiUser,
  newApiUser,
  revokeApiUser,
  toApiUserView,
} from "../../shared/tenancy/api-keys/api-user.ts";
import type { Actor } from "../../shared/tenancy/audit-log.ts";
import {
  getCertificateStatus,
  tenantCertificates,
  toCertificateView,
} from "../../shared/tenancy/certificates/certificate.ts";
import { revokeTenantCertificate } from "../../shared/tenancy/certificates/certificate-change.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";
import { tenantExists } from "../../shared/tenancy/tenant.ts";
import { ensureUsageKeys } from "../../shared/tenancy/usage/program-usage.ts";
import type { Command } from "./command.ts";

/** Includes revoked keys and certificates. */
export const listCredentials: Command<"list-credentials"> = async ({ tenantId }) => {
  requireCommitted(await transact([tenantExists(tenantId)]));
  const { users, certificates, ranges } = await readAll(tenantId);
  return {
    apiUsers: users.map(toApiUserView),
    certificates: certificates.map(toCertificateView),
    ranges: ranges.map(toAllowedIpView),
  };
};

/** Keys revoked in parallel: they touch different items. */
const keysAtOnce = 10;
const maximumRounds = 10;

/**
 * Certificates and ranges go first: there are few, and a request needs both. Repeats until nothing
 * is left: a request under way may create a key. The command can be repeated after an interruption.
 * @throws CommandRejected if the Tenant does not exist
 */
export const revokeCredentials: Command<"revoke-credentials"> = async ({ tenantId }, actor) => {
  requireCommitted(await transact([tenantExists(tenantId)]));
  const revoked = { apiUsers: 0, certificates: 0, ranges: 0 };
  for (let round = 1; round <= maximumRounds; round += 1) {
    const { users, certificates, ranges } = await readUsable(tenantId);
    if (users.length + certificates.length + ranges.length === 0) return { tenantId, revoked };
    for (const { certificateId } of certificates)
      await revokeTenantCertificate(tenantId, certificateId, actor);
    // One after the other: each changes the count of ranges.
    for (const range of ranges) await removeIfThere(range, actor);
    await inLanes(users, (user) => revokeApiUser(user, actor), keysAtOnce);
    revoked.apiUsers += users.length;
    revoked.certificates += certificates.length;
    revoked.ranges += ranges.length;
  }
  throw new CommandRejected(`New credentials of ${tenantId} keep appearing: suspend it, then repeat.`);
};

/**
 * Applies from the next request on.
 * @throws CommandRejected if the range is not on that list
 */
export const disallowIp: Command<"disallow-ip"> = async ({ tenantId, programId, cidr }, actor) => {
  const canonical = canonicalCidr(cidr);
  const entry = (await allowedIps.list(tenantId)).find(
    (one) => one.cidr === canonical && one.programId === programId,
  );
  if (!entry) {
    throw new CommandRejected(`${canonical} is not allowed for ${programId ?? `the whole of ${tenantId}`}.`);
  }
  await removeRange(entry, actor);
  return { cidr: canonical };
};

async function readAll(tenantId: string) {
  const [users, certificates, ranges] = await Promise.all([
    apiUsers.list(tenantId),
    tenantCertificates.list(tenantId),
    allowedIps.list(tenantId),
  ]);
  return { users, certificates, ranges };
}

async function readUsable(tenantId: string) {
  const { users, certificates, ranges } = await readAll(tenantId);
  return {
    users: users.filter(({ revokedAt }) => revokedAt === undefined),
    certificates: certificates.filter((one) => getCertificateStatus(one) === "active"),
    ranges,
  };
}

async function removeIfThere(range: AllowedIp, actor: Actor): Promise<void> {
  try {
    await removeRange(range, actor);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "NOT_FOUND")) throw error;
  }
}

/**
 * Program-level with a `programId`, else Tenant-level. The key is only in this answer. Each call
 * creates another key.
 * @throws CommandRejected if the Tenant, or its Program, does not exist
 */
export const createApiKey: Command<"create-api-key"> = async ({ tenantId, programId, ...named }, actor) => {
  const program = programId === undefined ? undefined : await requireKeyOwner(tenantId, programId);
  const { user, apiKey, ownerExists, writes } = await newApiUser(tenantId, program, named, actor);
  requireCommitted(await transact([ownerExists, ...writes]));
  return { apiUserId: user.apiUserId, apiKey };
};

async function requireKeyOwner(tenantId: string, programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (program?.tenantId !== tenantId) {
    throw new CommandRejected(`Program ${programId} of Tenant ${tenantId} does not exist.`);
  }
  await ensureUsageKeys(program);
  return program;
}

/**
 * Applies from the next request on. Repeating it changes nothing.
 * @throws CommandRejected if the API user does not exist or is revoked; for an unknown operation
 */
export const changeApiKey: Command<"change-api-key"> = async ({ tenantId, apiUserId, ...change }, actor) =>
  toApiUserView(await changeApiUser(await requireApiUser(tenantId, apiUserId), change, actor));

/**
 * Applies from the next request on. Repeating it changes nothing.
 * @throws CommandRejected if the API user does not exist
 */
export const revokeApiKey: Command<"revoke-api-key"> = async ({ tenantId, apiUserId }, actor) => {
  await revokeApiUser(await requireApiUser(tenantId, apiUserId), actor);
  return { apiUserId };
};

async function requireApiUser(tenantId: string, apiUserId: string): Promise<ApiUser> {
  const user = await apiUsers.at(tenantId, apiUserId).get();
  if (!user) throw new CommandRejected(`API user ${apiUserId} of Tenant ${tenantId} does not exist.`);
  return user;
}

/**
 * Repeating it changes nothing.
 * @throws CommandRejected if the certificate does not exist or has expired
 */
export const revokeCertificate: Command<"revoke-certificate"> = async (
  { tenantId, certificateId },
  actor,
) => {
  await revokeTenantCertificate(tenantId, certificateId, actor);
  return { certificateId };
};

/**
 * Takes a range of any width, and answers its canonical form: the same range is one entry.
 * @throws CommandRejected if the Tenant, or its Program, does not exist; at the maximum of ranges
 */
export const allowIp: Command<"allow-ip"> = async ({ tenantId, programId, cidr }, actor) => {
  const range = { cidr: canonicalCidr(cidr), programId };
  const { entry, outcome } = await allowRange(tenantId, range, actor);
  requireCommitted(outcome);
  return { cidr: entry.cidr };
};
