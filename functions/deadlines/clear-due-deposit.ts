import { executeDue } from "../../shared/domain/network/execute-event.ts";
import { type Deadline, deadlineDelete } from "../../shared/platform/deadlines/deadline.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * Clears a pending deposit after the Program's clearing delay. Deletes only the deadline if the processor was
 * faster, or if there is no simulated bank.
 */
export async function clearDueDeposit({
  ownerId: programId,
  deadlineId: depositId,
}: Deadline): Promise<void> {
  if (environment.hasSimulatedBank) {
    const event = { kind: "deposit_cleared", eventId: newId("event"), programId, depositId } as const;
    const outcome = await executeDue(event);
    if ("answer" in outcome) return;
    if (outcome.rejected === "NOT_FOUND") throw new Error(`The deposit ${depositId} does not exist.`);
  }
  await transact([deadlineDelete(programId, depositId)]);
}
