import { readDeposit } from "../../shared/domain/deposits/deposit.ts";
import { settleDeposit } from "../../shared/domain/deposits/settle-deposit.ts";
import { commit } from "../../shared/domain/ledger/commit.ts";
import { now } from "../../shared/platform/clock.ts";
import { type Deadline, deadlineDelete } from "../../shared/platform/deadlines/deadline.ts";
import { environment } from "../../shared/platform/environment.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * Clears a pending deposit after the Program's clearing delay. The deposit's status is the claim: when the processor
 * was quicker, there is nothing left to do but to take the deadline away. Without a sandbox only the bank clears: a
 * deadline from before that rule is dropped, and the deposit stays pending.
 */
export async function clearDueDeposit({
  ownerId: programId,
  deadlineId: depositId,
}: Deadline): Promise<void> {
  if (!environment.hasSimulatedBank) {
    await transact([deadlineDelete(programId, depositId)]);
    return;
  }
  const deposit = await readDeposit(programId, depositId);
  if (!deposit) throw new Error(`The deposit ${depositId} of the deadline does not exist.`);
  const result = await commit(settleDeposit(deposit, "clear", now()));
  if (result.outcome === "committed") return;
  if (!result.failedConditions.get("deposit")) {
    throw new Error(`The deposit ${depositId} could not be cleared.`);
  }
  await transact([deadlineDelete(programId, depositId)]);
}
