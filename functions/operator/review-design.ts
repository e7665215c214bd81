import { DesignStatus } from "../../shared/contract/enums.ts";
import { designDesk, readCardDesign } from "../../shared/tenancy/programs/card-design.ts";
import { changeDesign, submitDesign } from "../../shared/tenancy/programs/design-change.ts";
import type { Command } from "./command.ts";
import { programOf } from "./command.ts";

/** The designs that await a review. */
export const listDesigns: Command<"list-designs"> = async ({ limit }) => ({
  designs: await designDesk.first(limit),
});

/**
 * Approves the design that was submitted for a slot, so that Cards can be issued with it. With a `name`, a design of the platform's own goes into an
 * empty slot, Approved.
 *
 * @throws CommandRefused when there is no such Program, nothing to approve, or a design in the way
 */
export const approveDesign: Command<"approve-design"> = async ({ programId, cardType, name }, actor) => {
  const owner = await programOf(programId);
  if (name !== undefined && !(await readCardDesign(programId, cardType))) {
    await submitDesign(owner, { programId, cardType, name }, actor, DesignStatus.approved);
  } else {
    await changeDesign(owner, { programId, cardType }, "approve", { reviewedAt: actor.at }, actor);
  }
  return { cardType };
};

/**
 * Rejects the design that was submitted for a slot, and says why.
 *
 * @throws CommandRefused when there is no such Program, or nothing to reject
 */
export const rejectDesign: Command<"reject-design"> = async ({ programId, cardType, reason }, actor) => {
  const owner = await programOf(programId);
  const change = { reviewedAt: actor.at, rejectionReason: reason };
  await changeDesign(owner, { programId, cardType }, "reject", change, actor);
  return { cardType };
};
