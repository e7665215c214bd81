import { log } from "../../shared/platform/log.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditPut } from "../../shared/tenancy/audit-log.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import type { Command } from "./command.ts";

/**
 * Writes to the audit log of the Tenant that the ids name, else to the platform's: a restore may
 * have lost that Tenant.
 */
export const recordDiscard: Command<"record-discard"> = async ({ reason, ...letter }, actor) => {
  const { messageId, queue, kind, ids } = letter;
  log.warn("A dead letter is discarded.", { ...letter, reason });
  const programId = findId(ids, "prg_");
  const tenantId = findId(ids, "tnt_") ?? (programId && (await readProgram(programId))?.tenantId);
  const subject = { tenantId, programId, action: "dead-letter.discard", subjectId: messageId } as const;
  await transact([auditPut(actor, { ...subject, before: { queue, kind, ids }, after: { reason } })]);
  return { messageId };
};

function findId(ids: Readonly<Record<string, string | number>>, prefix: string): string | undefined {
  return Object.values(ids).find((id): id is string => String(id).startsWith(prefix));
}

/** Writes to the platform's audit log, before the dead letters are put back. */
export const recordRedrive: Command<"record-redrive"> = async ({ queue, messageId }, actor) => {
  const subject = { action: "dead-letter.redrive", subjectId: messageId ?? queue } as const;
  await transact([auditPut(actor, { tenantId: undefined, ...subject, before: { queue }, after: null })]);
  return { queue };
};
