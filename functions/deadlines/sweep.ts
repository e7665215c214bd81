import { now } from "../../shared/clock.ts";
import type { Deadline, DeadlineKind } from "../../shared/deadline/deadline.ts";
import { dueDeadlines } from "../../shared/deadline/due-deadlines.ts";
import { postpone } from "../../shared/deadline/postpone.ts";
import { log } from "../../shared/log.ts";
import { chargeDueMaintenance } from "./charge-due-maintenance.ts";
import { clearDueDeposit } from "./clear-due-deposit.ts";
import { closeDueTicket } from "./close-due-ticket.ts";
import { expireDueHold } from "./expire-due-hold.ts";
import { forgetDueCode } from "./forget-due-code.ts";
import { remindOfCertificate } from "./remind-of-certificate.ts";
import { retryDueAlert } from "./retry-due-alert.ts";
import { retryDueCallback } from "./retry-due-callback.ts";

/** Carries a deadline out once, whoever else tries: the claim is a condition of the very transaction that does the work. */
type Execute = (deadline: Deadline) => Promise<void>;

const execute: Record<DeadlineKind, Execute> = {
  clear_deposit: clearDueDeposit,
  close_ticket: closeDueTicket,
  expire_hold: expireDueHold,
  charge_maintenance: chargeDueMaintenance,
  forget_code: forgetDueCode,
  remind_certificate: remindOfCertificate,
  retry_callback: retryDueCallback,
  retry_alert: retryDueAlert,
};

/**
 * Executes all due deadlines in order of their due time for as long as `mayContinue` says. One that fails is logged and tried again later, so
 * that it does not hold up those behind it, in this sweep or in the next.
 */
export async function sweep(mayContinue: () => boolean): Promise<void> {
  let done = 0;
  let failed = 0;
  for await (const deadline of dueDeadlines(now())) {
    if (!mayContinue()) break;
    const { kind, deadlineId, ownerId, failures } = deadline;
    try {
      await execute[kind](deadline);
      done += 1;
    } catch (error) {
      failed += 1;
      log.error("The deadline failed.", { kind, deadlineId, ownerId, failures, error });
      await postpone(deadline).catch((reason: unknown) =>
        log.error("The deadline stays due.", { kind, deadlineId, ownerId, error: reason }),
      );
    }
  }
  if (done + failed > 0) log.info("Deadlines swept.", { done, failed });
}
