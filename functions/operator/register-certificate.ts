import { now } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { newId } from "../../shared/id.ts";
import { reminderDeadline } from "../../shared/reminder/reminder-deadline.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact, type WriteAction } from "../../shared/table/transact.ts";
import { type Actor, auditPut } from "../../shared/tenant/audit.ts";
import { type Certificate, type CertificateOf, readCertificate } from "../../shared/tenant/certificate.ts";
import {
  CertificateUnusableError,
  type ClientCertificate,
  readClientCertificate,
} from "../../shared/tenant/client-certificate.ts";
import { programExists, tenantExists } from "../../shared/tenant/existence.ts";
import { type Command, CommandRefused } from "./command.ts";
import { requireCommitted } from "./require-committed.ts";

/**
 * Registers a client certificate of the Tenant in its O for the Programs in its OUs, and sees to the reminders of its end. A first one may name no
 * Program: then it is good for Tenant-level keys alone. Registering it again answers what the first time answered, and does not undo a revocation.
 *
 * @throws CommandRefused when the certificate cannot be one of the platform's, is expired, or names a Tenant or a Program that does
 * not exist or is another Tenant's.
 */
export const registerCertificate: Command<"register-certificate"> = async ({ certificatePem }, actor) => {
  const presented = read(certificatePem);
  const known = await readCertificate(presented.fingerprint);
  if (known) return answer(known);
  if (presented.notAfter <= now()) throw new CommandRefused("The certificate is expired.");
  const certificate = toItem(presented, actor);
  const outcome = await transact([
    tenantExists(presented.tenantId),
    ...presented.programIds.map((programId) => programExists(presented.tenantId, programId)),
    ...puts(certificate),
    audited(certificate, actor),
    ...reminderDeadline(certificate, now()),
  ]);
  const raced = outcome.committed ? undefined : await readCertificate(presented.fingerprint);
  if (!raced) requireCommitted(outcome);
  return answer(raced ?? certificate);
};

function read(certificatePem: string): ClientCertificate {
  try {
    return readClientCertificate(certificatePem);
  } catch (error) {
    if (error instanceof CertificateUnusableError) throw new CommandRefused(error.message);
    throw error;
  }
}

function toItem(presented: ClientCertificate, actor: Actor): Certificate {
  return {
    certificateId: newId("certificate"),
    tenantId: presented.tenantId,
    programIds: [...presented.programIds],
    environment: environment.name,
    fingerprint: presented.fingerprint,
    serialNumber: presented.serialNumber,
    notAfter: presented.notAfter.toISOString(),
    createdAt: actor.at,
    createdBy: actor.by,
  };
}

function audited(certificate: Certificate, actor: Actor): WriteAction {
  const { tenantId, certificateId, programIds, serialNumber, notAfter } = certificate;
  const after = { programIds, serialNumber, notAfter };
  return auditPut(
    { tenantId, action: "certificate.register", subjectId: certificateId, before: null, after },
    actor,
  );
}

function puts(certificate: Certificate): WriteAction[] {
  const { tenantId, certificateId, fingerprint } = certificate;
  const pointer: CertificateOf = { tenantId, certificateId, fingerprint };
  return [
    {
      name: "certificate",
      Put: {
        TableName: environment.accountsTable,
        Item: { ...accountsKey.certificate(fingerprint), ...certificate },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      name: "certificate of the Tenant",
      Put: {
        TableName: environment.accountsTable,
        Item: { ...accountsKey.certificateOf(tenantId, certificateId), ...pointer },
      },
    },
  ];
}

function answer({ certificateId, serialNumber, notAfter }: Certificate) {
  return { certificateId, serialNumber, notAfter };
}
