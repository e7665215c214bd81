import { CommandRefused } from "../../shared/administration/command-refused.ts";
import { getCardholder } from "../../shared/cardholder/cardholder.ts";
import { cardholderRefusal, changeCardholderStatus } from "../../shared/cardholder/cardholder-status.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { readProgram } from "../../shared/program/program.ts";
import { transact } from "../../shared/table/transact.ts";
import { auditPut } from "../../shared/tenant/audit.ts";
import type { Command } from "./command.ts";

/**
 * Declines a Cardholder that is Under Review or Approved: 7 Admin Decline. A review under way is over.
 *
 * @throws CommandRefused when there is no such Cardholder, or its status does not permit this
 */
export const refuseCardholder: Command<"refuse-cardholder"> = async ({ programId, cardholderId }, actor) => {
  const program = await readProgram(programId);
  if (!program) throw new CommandRefused(`Program ${programId} does not exist.`);
  const { status } = await getCardholder(programId, cardholderId);
  const outcome = await transact([
    ...changeCardholderStatus(programId, cardholderId, "refuse", {
      remove: ["kycSession", "kycToken"],
      // The audit log says what it was.
      condition: "#status = :found",
      values: { ":found": status },
    }),
    auditPut(
      {
        tenantId: program.tenantId,
        programId,
        action: "cardholder.refuse",
        subjectId: cardholderId,
        before: { status },
        after: { status: CardholderStatus.adminDecline },
      },
      actor,
    ),
  ]);
  if (!outcome.committed) throw cardholderRefusal(outcome.refusals.get("cardholder"));
  return { cardholderId, status: CardholderStatus.adminDecline };
};
