import { now } from "../../shared/clock.ts";
import { correlated } from "../../shared/correlation.ts";
import type { Deadline, DeadlineKind } from "../../shared/deadline/deadline.ts";
import { dueDeadlines } from "../../shared/deadline/due-deadlines.ts";
import { postpone } from "../../shared/deadline/postpone.ts";
import { log } from "../../shared/log.ts";

/** Carries a deadline out once, whoever else tries: the claim is a condition of the very transaction that does the work. */
type Execute = (deadline: Deadline) => Promise<void>;

/** Each imported when one is due: most sweeps find few kinds, or none. */
const executions: Record<DeadlineKind, () => Promise<Execute>> = {
  clear_deposit: async () => (await import("./clear-due-deposit.ts")).clearDueDeposit,
  close_ticket: async () => (await import("./close-due-ticket.ts")).closeDueTicket,
  expire_hold: async () => (await import("./expire-due-hold.ts")).expireDueHold,
  charge_maintenance: async () => (await import("./charge-due-maintenance.ts")).chargeDueMaintenance,
  forget_code: async () => (await import("./forget-due-code.ts")).forgetDueCode,
  remind_certificate: async () => (await import("./remind-of-certificate.ts")).remindOfCertificate,
  retry_callback: async () => (await import("./retry-due-callback.ts")).retryDueCallback,
  retry_alert: async () => (await import("./retry-due-alert.ts")).retryDueAlert,
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
      const execute = await executions[kind]();
      await correlated({ ...deadline.cause, deadlineId }, () => execute(deadline));
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
