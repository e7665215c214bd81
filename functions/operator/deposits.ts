import { execute } from "../../shared/changes/execute.ts";
import { cancellation } from "../../shared/deposits/cancel-announced.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import { auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Command, requireProgram } from "./command.ts";

/** @throws CommandRejected if it is not an announced deposit that is pending */
export const cancelDeposit: Command<"cancel-deposit"> = async ({ programId, depositId }, actor) => {
  const { tenantId } = await requireProgram(programId);
  const subject = { tenantId, programId, subjectId: depositId };
  const outcome = await execute(cancellation, {
    programId,
    depositId,
    writes: ({ status, amountMinor: amount }) => [
      auditPut(actor, { ...subject, action: "deposit.cancel", before: { status }, after: { amount } }),
    ],
  });
  if ("rejected" in outcome)
    throw new CommandRejected(
      `${depositId} of Program ${programId} is no announced deposit that is pending.`,
    );
  return { depositId };
};
