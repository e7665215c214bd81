import { now } from "../../shared/clock.ts";
import type { Deadline, DeadlineKind } from "../../shared/deadline/deadline.ts";
import { dueDeadlines } from "../../shared/deadline/due-deadlines.ts";
import { log } from "../../shared/log.ts";
import { clearDueDeposit } from "./clear-due-deposit.ts";
import { expireDueHold } from "./expire-due-hold.ts";
import { forgetDueCode } from "./forget-due-code.ts";

/** Carries a deadline out once, whoever else tries: the claim is a condition of the very transaction that does the work. */
type Execute = (deadline: Deadline) => Promise<void>;

const execute: Record<DeadlineKind, Execute> = {
  clear_deposit: clearDueDeposit,
  expire_hold: expireDueHold,
  forget_code: forgetDueCode,
};

/**
 * Executes all due deadlines in order of their due time for as long as `mayContinue` says. One that fails is logged,
 * stays due for the next sweep, and does not hold up those behind it.
 */
export async function sweep(mayContinue: () => boolean): Promise<void> {
  let done = 0;
  let failed = 0;
  for await (const deadline of dueDeadlines(now())) {
    if (!mayContinue()) break;
    const { kind, deadlineId, programId } = deadline;
    try {
      await execute[kind](deadline);
      done += 1;
    } catch (error) {
      failed += 1;
      log.error("The deadline failed and stays due.", { kind, deadlineId, programId, error });
    }
  }
  if (done + failed > 0) log.info("Deadlines swept.", { done, failed });
}
