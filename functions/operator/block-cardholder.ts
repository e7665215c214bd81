import {
  applyCardholderBlock,
  cardholderBlockDeadline,
  cardholderBlockWrites,
} from "../../shared/domain/cards/cardholder-block.ts";
import { deadlineDelete } from "../../shared/platform/deadlines/deadline.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { type Actor, auditPut } from "../../shared/tenancy/audit-log.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

/**
 * Blocks all Cards of a Cardholder, and those that are issued to it later. Should the command be interrupted, a deadline finishes it within two
 * minutes; so does the command itself when it is repeated.
 *
 * @throws CommandRefused when there is no such Cardholder
 */
export const blockCardholder: Command<"block-cardholder"> = (input, actor) => setBlock(input, true, actor);

/**
 * Lifts the block of a Cardholder. A Card that is blocked by itself stays so.
 *
 * @throws CommandRefused when there is no such Cardholder
 */
export const unblockCardholder: Command<"unblock-cardholder"> = (input, actor) =>
  setBlock(input, false, actor);

async function setBlock(
  { programId, cardholderId, reason }: Parameters<typeof blockCardholder>[0],
  blocked: boolean,
  actor: Actor,
) {
  const { tenantId } = await programOf(programId);
  const at = new Date(actor.at);
  const deadline = cardholderBlockDeadline(programId, cardholderId, at);
  const { committed } = await transact([
    ...cardholderBlockWrites(programId, cardholderId, blocked, deadline, at),
    auditPut(
      {
        tenantId,
        programId,
        action: blocked ? "cardholder.block" : "cardholder.unblock",
        subjectId: cardholderId,
        before: { blocked: !blocked },
        after: { blocked, reason },
      },
      actor,
    ),
  ]);
  // An unchanged block may not have reached all Cards yet.
  const cards = await applyCardholderBlock(programId, cardholderId);
  if (committed) await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { cardholderId, blocked, cards };
}
