import { execute } from "../../shared/changes/execute.ts";
import { cancellation } from "../../shared/deposits/cancel-announced.ts";
import { deposits } from "../../shared/deposits/deposit.ts";
import { depositEvents } from "../../shared/deposits/deposit-events.ts";
import { expiry } from "../../shared/deposits/expected.ts";
import { type DueDeadline, deadlineDelete, deadlineReplace } from "../../shared/platform/deadlines.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * Clears a pending deposit after the Program's clearing delay. Deletes only the deadline if the
 * processor was faster. Without a simulated bank, it waits for the bank as if it had been announced
 * here.
 */
export async function clearDeposit({ ownerId: programId, deadlineId: depositId }: DueDeadline) {
  if (environment.hasSimulatedBank) {
    const event = { kind: "deposit_cleared", eventId: newId("event"), programId, depositId } as const;
    const outcome = await execute(depositEvents.deposit_cleared, event);
    if ("answer" in outcome) return;
    if (outcome.rejected === "NOT_FOUND") throw new Error(`The deposit ${depositId} does not exist.`);
    await transact([deadlineDelete(programId, depositId)]);
    return;
  }
  const { expiresAt } = (await deposits.at(programId, depositId).get()) ?? {};
  const isExpected = expiresAt !== undefined;
  await transact([
    isExpected
      ? deadlineReplace(expiry.at({ ownerId: programId, deadlineId: depositId, dueAt: new Date(expiresAt) }))
      : deadlineDelete(programId, depositId),
  ]);
}

/** The bank has not reported it. False if it is pending no more. */
export async function expireDeposit({ ownerId: programId, deadlineId: depositId }: DueDeadline) {
  return "answer" in (await execute(cancellation, { programId, depositId }));
}
