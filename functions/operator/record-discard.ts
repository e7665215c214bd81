import { requireCommitted } from "../../shared/administration/command-refused.ts";
import { log } from "../../shared/log.ts";
import { readProgram } from "../../shared/program/program.ts";
import { transact } from "../../shared/table/transact.ts";
import { auditPut } from "../../shared/tenant/audit.ts";
import { tenantExists } from "../../shared/tenant/existence.ts";
import type { Command } from "./command.ts";

/**
 * Writes down that a message which was given up is going to be deleted, and why: in the log, and in the audit log of the Tenant whose affair it
 * is, where its ids tell.
 *
 * @throws CommandRefused when it names a Tenant that there is not
 */
export const recordDiscard: Command<"record-discard"> = async ({ reason, ...letter }, actor) => {
  const { messageId, queue, kind, ids } = letter;
  log.warn("A dead letter is discarded.", { ...letter, reason });
  const programId = idOf(ids, "prg_");
  const tenantId = idOf(ids, "tnt_") ?? (programId && (await readProgram(programId))?.tenantId);
  if (tenantId !== undefined) {
    const change = {
      tenantId,
      programId,
      action: "dead-letter.discard",
      subjectId: messageId,
      before: { queue, kind, ids },
      after: { reason },
    } as const;
    requireCommitted(await transact([tenantExists(tenantId), auditPut(change, actor)]));
  }
  return { messageId };
};

function idOf(ids: Readonly<Record<string, string | number>>, prefix: string): string | undefined {
  return Object.values(ids).find((id): id is string => String(id).startsWith(prefix));
}
