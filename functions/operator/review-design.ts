import { DesignStatus } from "../../shared/contract/enums.ts";
import { designDesk, readCardDesign } from "../../shared/tenancy/programs/card-design.ts";
import { changeDesign, submitDesign } from "../../shared/tenancy/programs/design-change.ts";
import { type Command, programOf } from "./command.ts";

export const listDesigns: Command<"list-designs"> = async ({ limit }) => ({
  designs: await designDesk.first(limit),
});

/**
 * With a `name`, puts an approved design of the platform's own into an empty slot.
 *
 * @throws CommandRefused if the Program does not exist, nothing is to approve, or the slot is taken
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

/** @throws CommandRefused if the Program does not exist, or nothing awaits approval */
export const rejectDesign: Command<"reject-design"> = async ({ programId, cardType, reason }, actor) => {
  const owner = await programOf(programId);
  const change = { reviewedAt: actor.at, rejectionReason: reason };
  await changeDesign(owner, { programId, cardType }, "reject", change, actor);
  return { cardType };
};
