import * as z from "zod";
import { maximumActiveCertificates } from "../../contract/account-access.ts";
import { now } from "../../platform/clock.ts";
import { limitReached, statusError } from "../../platform/http/api-error.ts";
import { absent, all, exists } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { type TransactionOutcome, transact, type WriteAction } from "../../platform/table/transact.ts";
import { findStep } from "../../platform/table/transition.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { programExists } from "../programs/tenant-program.ts";
import { tenantExists } from "../tenant.ts";
import {
  certificates,
  certificateTransitions,
  getCertificateStatus,
  type TenantCertificate,
  tenantCertificates,
  toCertificateView,
} from "./certificate.ts";
import { reminderDeadline } from "./reminder.ts";

const countWrite = "certificate count";

/** How many certificates a Tenant has ever registered. */
const certificateCounts = defineEntity({
  name: countWrite,
  table: "accounts",
  schema: z.object({ registered: z.int() }),
  key: (tenantId: string) => ({ pk: tenantId, sk: "CERTIFICATE_COUNT" }),
});

/** Requires the count as found, if it was read. */
function countCertificate(tenantId: string, found: number | undefined): WriteAction {
  const unchanged = { registered: found === 0 ? undefined : found };
  return certificateCounts
    .at(tenantId)
    .update({ add: { registered: 1 } }, found === undefined ? undefined : unchanged);
}

/**
 * Registers a certificate that the platform issued. Repeats `requireRoom` if others were registered
 * meanwhile.
 * @throws ApiError LIMIT_REACHED for a third one, even if several are requested at once. Other
 * failed conditions name the missing Tenant or Program.
 */
export async function registerIssued(
  certificate: TenantCertificate,
  found: number,
  actor: Actor,
): Promise<TransactionOutcome> {
  const { tenantId, programIds } = certificate;
  let count: number | undefined = found;
  return retry(async () => {
    count ??= await requireRoom(tenantId, programIds);
    const outcome = await transact([...registration(certificate, actor), countCertificate(tenantId, count)]);
    if (outcome.committed || !outcome.failedConditions.has(countWrite)) return outcome;
    count = undefined;
    return new Conflict(countWrite);
  });
}

/** Platform administration registers without a limit. */
export function registerVouched(certificate: TenantCertificate, actor: Actor): Promise<TransactionOutcome> {
  return transact([...registration(certificate, actor), countCertificate(certificate.tenantId, undefined)]);
}

/**
 * The number of registered certificates, if these Programs may have another.
 * @throws ApiError LIMIT_REACHED
 */
export async function requireRoom(tenantId: string, programIds: readonly string[]): Promise<number> {
  // Read before the certificates, so that one registered in between has changed it.
  const count = (await certificateCounts.at(tenantId).get())?.registered ?? 0;
  const wanted = toSet(programIds);
  const others = (await tenantCertificates.list(tenantId)).filter(
    (one) => getCertificateStatus(one) === "active" && toSet(one.programIds) === wanted,
  );
  if (others.length >= maximumActiveCertificates)
    throw limitReached(maximumActiveCertificates, "active certificates for the same Programs", others.length);
  return count;
}

function toSet(programIds: readonly string[]): string {
  return programIds.toSorted().join();
}

function registration(certificate: TenantCertificate, actor: Actor): WriteAction[] {
  const { tenantId, certificateId, fingerprint, programIds } = certificate;
  const { domains: _, certificatePem: __, authority: ___, ...deciding } = certificate;
  return [
    tenantExists(tenantId),
    ...programIds.map((programId) => programExists(tenantId, programId)),
    certificates.at(fingerprint).create(deciding),
    tenantCertificates.at(tenantId, certificateId).create(certificate),
    auditPut(actor, {
      tenantId,
      action: "certificate.register",
      subjectId: certificateId,
      before: null,
      after: toCertificateView(certificate),
    }),
    ...reminderDeadline(certificate, now()),
  ];
}

/**
 * The next request is rejected, on open connections too. A second revocation changes nothing: the
 * first one's time and author are evidence.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if expired
 */
export async function revokeTenantCertificate(
  tenantId: string,
  certificateId: string,
  actor: Actor,
): Promise<TenantCertificate> {
  const shown = tenantCertificates.at(tenantId, certificateId);
  const found = await shown.require();
  const status = getCertificateStatus(found);
  const { from, to } = findStep(certificateTransitions, "revoke");
  if (status === to) return found;
  if (!from.some((one) => one === status)) throw statusError(status, from);
  const revocation = { revokedAt: actor.at, revokedBy: actor.by };
  const revoked = { ...found, ...revocation };
  const isUnrevoked = all<TenantCertificate>(exists, { revokedAt: absent });
  const { committed } = await transact([
    certificates.at(found.fingerprint).update({ set: revocation }, isUnrevoked),
    shown.update({ set: revocation }, isUnrevoked),
    auditPut(actor, {
      tenantId,
      action: "certificate.revoke",
      subjectId: certificateId,
      before: toCertificateView(found),
      after: toCertificateView(revoked),
    }),
  ]);
  // Else another request revoked it first.
  return committed ? revoked : shown.require();
}
