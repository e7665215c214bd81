import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { maximumActiveCertificates } from "../../contract/account-certificates.ts";
import { now } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { table } from "../../platform/table/client.ts";
import { accountsKey, type Key } from "../../platform/table/keys.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { type TransactionOutcome, transact, type WriteAction } from "../../platform/table/transact.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { programExists, tenantExists } from "../existence.ts";
import {
  type Certificate,
  CertificateShown,
  readCertificateShown,
  statusOf,
  toCertificateView,
} from "./certificate.ts";
import { countChange, readCount } from "./certificate-count.ts";
import { certificateTransitions } from "./certificate-transitions.ts";
import { reminderDeadline } from "./reminder-deadline.ts";

const countWrite = "certificate count";

/**
 * Registers a certificate of the platform's own, beside what else is active for the same Programs, as `requireRoom` has found it: where others have been
 * registered since, it is asked again.
 *
 * @throws ApiError LIMIT_REACHED for a third one, also where several are asked for at once. A refusal that is left names the Tenant or the Program
 * that there is not.
 */
export async function registerIssued(
  certificate: CertificateShown,
  found: number,
  actor: Actor,
): Promise<TransactionOutcome> {
  const { tenantId, programIds } = certificate;
  let count: number | undefined = found;
  return retry(async () => {
    count ??= await requireRoom(tenantId, programIds);
    const outcome = await transact([
      ...registration(certificate, actor),
      countChange(countWrite, tenantId, count),
    ]);
    if (outcome.committed || !outcome.failedConditions.has(countWrite)) return outcome;
    count = undefined;
    return new Conflict(countWrite);
  });
}

/** Registers a certificate that the platform's administration vouches for, whatever else is active. */
export function registerVouched(certificate: CertificateShown, actor: Actor): Promise<TransactionOutcome> {
  return transact([
    ...registration(certificate, actor),
    countChange(countWrite, certificate.tenantId, undefined),
  ]);
}

/**
 * How many certificates the Tenant has registered, as long as there may be another one for these Programs.
 *
 * @throws ApiError LIMIT_REACHED
 */
export async function requireRoom(tenantId: string, programIds: readonly string[]): Promise<number> {
  // Before the certificates: one that comes in between has changed the count when it is compared.
  const count = await readCount(tenantId);
  const wanted = setOf(programIds);
  const others = (await readCertificates(tenantId)).filter(
    (one) => statusOf(one) === "active" && setOf(one.programIds) === wanted,
  );
  if (others.length >= maximumActiveCertificates) throw new ApiError("LIMIT_REACHED");
  return count;
}

function setOf(programIds: readonly string[]): string {
  return programIds.toSorted().join();
}

/** All certificates of the Tenant, those that are over included. Consistent reads. */
export async function readCertificates(tenantId: string): Promise<CertificateShown[]> {
  const { pk, sk } = accountsKey.certificateOf(tenantId, "");
  const pages = paginateQuery(
    { client: table },
    {
      TableName: environment.accountsTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :tenant AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":tenant": pk, ":prefix": sk },
    },
  );
  const found: CertificateShown[] = [];
  for await (const { Items } of pages)
    found.push(...(Items ?? []).map((item) => CertificateShown.parse(item)));
  return found;
}

function registration(certificate: CertificateShown, actor: Actor): WriteAction[] {
  const { tenantId, certificateId, fingerprint, programIds } = certificate;
  const { domains: _, certificatePem: __, authority: ___, ...deciding } = certificate;
  return [
    tenantExists(tenantId),
    ...programIds.map((programId) => programExists(tenantId, programId)),
    put("certificate", { ...accountsKey.certificate(fingerprint), ...deciding }),
    put("certificate of the Tenant", {
      ...accountsKey.certificateOf(tenantId, certificateId),
      ...certificate,
    }),
    auditPut(
      {
        tenantId,
        action: "certificate.register",
        subjectId: certificateId,
        before: null,
        after: toCertificateView(certificate),
      },
      actor,
    ),
    ...reminderDeadline(certificate, now()),
  ];
}

function put(name: string, Item: Record<string, unknown>): WriteAction {
  return {
    name,
    Put: { TableName: environment.accountsTable, Item, ConditionExpression: "attribute_not_exists(pk)" },
  };
}

/**
 * Revokes a certificate: the very next request on it is refused, on open connections too. The first revocation stands: when and by whom it happened
 * is evidence.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for one that has expired
 */
export async function revokeCertificate(
  tenantId: string,
  certificateId: string,
  actor: Actor,
): Promise<CertificateShown> {
  const found = await readCertificateShown(tenantId, certificateId);
  if (!found) throw new ApiError("NOT_FOUND");
  const status = statusOf(found);
  const { from, to } = compileTransition(certificateTransitions, "revoke", "status");
  if (status === to) return found;
  if (!from.some((one) => one === status)) throw new ApiError("ILLEGAL_TRANSITION");
  const revoked = { ...found, revokedAt: actor.at, revokedBy: actor.by };
  const { committed } = await transact([
    revocation("certificate", accountsKey.certificate(found.fingerprint), revoked),
    revocation("certificate of the Tenant", accountsKey.certificateOf(tenantId, certificateId), revoked),
    auditPut(
      {
        tenantId,
        action: "certificate.revoke",
        subjectId: certificateId,
        before: toCertificateView(found),
        after: toCertificateView(revoked),
      },
      actor,
    ),
  ]);
  // Refused: another request was quicker.
  return committed ? revoked : ((await readCertificateShown(tenantId, certificateId)) ?? found);
}

function revocation(name: string, key: Key, { revokedAt, revokedBy }: Certificate): WriteAction {
  return {
    name,
    Update: {
      TableName: environment.accountsTable,
      Key: key,
      UpdateExpression: "SET revokedAt = :at, revokedBy = :by",
      ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(revokedAt)",
      ExpressionAttributeValues: { ":at": revokedAt, ":by": revokedBy },
    },
  };
}
