import { getCardholder } from "../../shared/cardholder/cardholder.ts";
import { cardholderRefusal, changeCardholderStatus } from "../../shared/cardholder/cardholder-status.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { transact } from "../../shared/table/transact.ts";
import { auditPut } from "../../shared/tenant/audit.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

/**
 * Declines a Cardholder that is Under Review or Approved: 7 Admin Decline. A review under way is over.
 *
 * @throws CommandRefused when there is no such Cardholder, or its status does not permit this
 */
export const refuseCardholder: Command<"refuse-cardholder"> = async ({ programId, cardholderId }, actor) => {
  const { tenantId } = await programOf(programId);
  const cardholder = await getCardholder(programId, cardholderId);
  const { status } = cardholder;
  const outcome = await transact([
    ...changeCardholderStatus(programId, cardholder, "refuse", { remove: ["kycSession", "kycToken"] }),
    auditPut(
      {
        tenantId,
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
