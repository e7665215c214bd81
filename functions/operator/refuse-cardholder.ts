import { CardholderStatus } from "../../shared/contract/enums.ts";
import { type Cardholder, getCardholder } from "../../shared/domain/cardholders/cardholder.ts";
import {
  type CardholderChange,
  cardholderRefusal,
  commitCardholderStatus,
} from "../../shared/domain/cardholders/cardholder-status.ts";
import { applyCardholderBlock, cardholderBlockDeadline } from "../../shared/domain/cards/cardholder-block.ts";
import { deadlineDelete, deadlinePut } from "../../shared/platform/deadlines/deadline.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditPut } from "../../shared/tenancy/audit-log.ts";
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
  const seen = await getCardholder(programId, cardholderId);
  const at = new Date(actor.at);
  const deadline = cardholderBlockDeadline(programId, cardholderId, at);
  const changeOf = (cardholder: Cardholder): CardholderChange => {
    const { status, blockedAt } = cardholder;
    const audited = { tenantId, programId, action: "cardholder.refuse", subjectId: cardholderId } as const;
    const after = { status: CardholderStatus.adminDecline };
    return {
      condition: { blockedAt },
      ...(blockedAt === undefined && { set: { blockedAt: actor.at } }),
      remove: ["kycSession", "kycToken"],
      writes: [
        deadlinePut(deadline),
        ...(blockedAt === undefined
          ? [outboxPut(programId, "cardholder.blocked", { cardholderId }, at)]
          : []),
        auditPut({ ...audited, before: { status }, after }, actor),
      ],
    };
  };
  const failed = await commitCardholderStatus(programId, seen, "refuse", changeOf);
  if (failed) throw cardholderRefusal(failed.refused);
  await applyCardholderBlock(programId, cardholderId);
  await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { cardholderId, status: CardholderStatus.adminDecline };
};
