import { correlated } from "../../shared/platform/correlation.ts";
import type { Deadline } from "../../shared/platform/deadlines/deadline.ts";
import type { DueDeadline } from "../../shared/platform/deadlines/due-deadlines.ts";
import { postpone } from "../../shared/platform/deadlines/postpone.ts";
import type { DeadlineKind } from "../../shared/platform/deadlines/priority.ts";
import { log } from "../../shared/platform/log.ts";

/** Executes a deadline once, whoever else tries: the claim is a condition of the very transaction that does the work. */
type Execute = (deadline: Deadline) => Promise<void>;

/** Each imported when one is due: most sweeps find few kinds, or none. */
const executions: Record<DeadlineKind, () => Promise<Execute>> = {
  apply_limits: async () => (await import("./apply-due-limits.ts")).applyDueLimits,
  apply_cardholder_block: async () => (await import("./apply-due-block.ts")).applyDueBlock,
  clear_deposit: async () => (await import("./clear-due-deposit.ts")).clearDueDeposit,
  close_ticket: async () => (await import("./close-due-ticket.ts")).closeDueTicket,
  decide_endpoint: async () => (await import("./decide-due-endpoint.ts")).decideDueEndpoint,
  expire_hold: async () => (await import("./expire-due-hold.ts")).expireDueHold,
  charge_maintenance: async () => (await import("./charge-due-maintenance.ts")).chargeDueMaintenance,
  forget_code: async () => (await import("./forget-due-code.ts")).forgetDueCode,
  remind_certificate: async () => (await import("./remind-of-certificate.ts")).remindOfCertificate,
  retry_callback: async () => (await import("./retry-due-callback.ts")).retryDueCallback,
  retry_alert: async () => (await import("./retry-due-alert.ts")).retryDueAlert,
};

/** Whether it was executed; one that fails is logged and postponed. Never rejects. */
export async function executeDeadline(deadline: DueDeadline): Promise<boolean> {
  const { kind, deadlineId, ownerId, failures } = deadline;
  try {
    const execute = await executions[kind]();
    await correlated({ ...deadline.cause, deadlineId }, () => execute(deadline));
    return true;
  } catch (error) {
    log.error("The deadline failed.", { kind, deadlineId, ownerId, failures, error });
    await postpone(deadline).catch((reason: unknown) =>
      log.error("The deadline stays due.", { kind, deadlineId, ownerId, error: reason }),
    );
    return false;
  }
}
