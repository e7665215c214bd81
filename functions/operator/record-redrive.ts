import { transact } from "../../shared/platform/table/transact.ts";
import { auditPut } from "../../shared/tenancy/audit-log.ts";
import type { Command } from "./command.ts";

/** Records in the platform's audit log that dead letters are about to be put back. */
export const recordRedrive: Command<"record-redrive"> = async ({ queue, messageId }, actor) => {
  const change = {
    tenantId: undefined,
    action: "dead-letter.redrive",
    subjectId: messageId ?? queue,
    before: { queue },
    after: null,
  } as const;
  await transact([auditPut(change, actor)]);
  return { queue };
};
