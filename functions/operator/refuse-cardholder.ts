import { applyCardholderBlock, cardholderBlockDeadline } from "../../shared/card/cardholder-block.ts";
import { getCardholder } from "../../shared/cardholder/cardholder.ts";
import { cardholderRefusal, changeCardholderStatus } from "../../shared/cardholder/cardholder-status.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { deadlineDelete, deadlinePut } from "../../shared/deadline/deadline.ts";
import { transact } from "../../shared/table/transact.ts";
import { auditPut } from "../../shared/tenant/audit.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

/**
 * Declines a Cardholder that is Under Review or Approved: 7 Admin Decline. A review under way is over, and its Cards are blocked, as by
 * `block-cardholder`.
 *
 * @throws CommandRefused when there is no such Cardholder, or its status does not permit this
 */
export const refuseCardholder: Command<"refuse-cardholder"> = async ({ programId, cardholderId }, actor) => {
  const { tenantId } = await programOf(programId);
  const cardholder = await getCardholder(programId, cardholderId);
  const { status } = cardholder;
  const deadline = cardholderBlockDeadline(programId, cardholderId, new Date(actor.at));
  const outcome = await transact([
    ...changeCardholderStatus(programId, cardholder, "refuse", {
      set: { blockedAt: actor.at },
      remove: ["kycSession", "kycToken"],
    }),
    deadlinePut(deadline),
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
  await applyCardholderBlock(programId, cardholderId);
  await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { cardholderId, status: CardholderStatus.adminDecline };
};
