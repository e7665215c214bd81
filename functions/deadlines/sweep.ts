import type { Context } from "aws-lambda";
import { now, timestamp } from "../../shared/platform/clock.ts";
import {
  type DeadlinePriority,
  type DueDeadline,
  deadlineClaim,
  deadlineDelete,
  dueDeadlines,
  nextDueAt,
  postpone,
} from "../../shared/platform/deadlines.ts";
import { newId } from "../../shared/platform/id.ts";
import { correlated, log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";

const concurrency = 16;
/** Non-urgent deadlines executed between two checks for urgent ones. */
const batchSize = 200;

/** Reserved for running deadlines when the sweep stops starting more. */
const reservedMs = 10_000;

/** Runs every minute. Returns when the next deadline is due, for a clock moved by hand. */
export async function runDue(_event: unknown, context: Context): Promise<{ nextDueAt: string | null }> {
  await sweep(() => context.getRemainingTimeInMillis() > reservedMs);
  return { nextDueAt: await nextDueAt() };
}

interface Queue {
  readonly oldest: Date | undefined;
  readonly rows: AsyncGenerator<DueDeadline, void>;
}

/** Executes urgent deadlines first, and again between batches of the others. */
export async function sweep(mayContinue: () => boolean): Promise<void> {
  const at = now();
  const [urgent, normal, bulk] = await Promise.all([
    openQueue("urgent", at),
    openQueue("normal", at),
    openQueue("bulk", at),
  ]);
  logMeasured("Deadlines are swept.", {}, () => ({
    OldestDueDeadlineSeconds: oldestSeconds([urgent, normal, bulk], at),
    OldestUrgentDeadlineSeconds: oldestSeconds([urgent], at),
  }));

  const tally = { done: 0, failed: 0 };
  const tried = new Set<string>();
  const executeOnce = async (deadline: DueDeadline) => {
    // The index may still show executed deadlines, and those that could not be postponed.
    const key = `${deadline.ownerId} ${deadline.deadlineId} ${deadline.dueAt.getTime()}`;
    if (tried.has(key)) return;
    tried.add(key);
    tally[(await executeDeadline(deadline)) ? "done" : "failed"] += 1;
  };
  const take = (rows: Queue["rows"], most: number) => executeSome(rows, most, mayContinue, executeOnce);

  await take(urgent.rows, Number.POSITIVE_INFINITY);
  let waiting = [normal.rows, bulk.rows];
  while (waiting.length > 0 && mayContinue()) {
    const left: typeof waiting = [];
    for (const rows of waiting) {
      if (await take(rows, batchSize)) left.push(rows);
      if (left.length > 0) await take(dueDeadlines("urgent", now()), Number.POSITIVE_INFINITY);
    }
    waiting = left;
  }
  if (tally.done + tally.failed > 0) log.info("Deadlines swept.", tally);
}

/** Executes the next rows concurrently. Returns whether there may be more. */
async function executeSome(
  rows: Queue["rows"],
  most: number,
  mayContinue: () => boolean,
  execute: (deadline: DueDeadline) => Promise<void>,
): Promise<boolean> {
  let left = most;
  let isExhausted = false;
  const work = async () => {
    while (left > 0 && !isExhausted && mayContinue()) {
      left -= 1;
      const { value } = await rows.next();
      if (value) await execute(value);
      else isExhausted = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return !isExhausted;
}

async function openQueue(priority: DeadlinePriority, at: Date): Promise<Queue> {
  const rows = dueDeadlines(priority, at);
  const next = await rows.next();
  const first = next.done ? undefined : next.value;
  return { oldest: first?.dueAt, rows: withFirst(first, rows) };
}

async function* withFirst(first: DueDeadline | undefined, rows: Queue["rows"]): Queue["rows"] {
  if (!first) return;
  yield first;
  yield* rows;
}

function oldestSeconds(queues: readonly Queue[], at: Date): number {
  const ages = queues.flatMap(({ oldest }) => (oldest ? at.getTime() - oldest.getTime() : []));
  return Math.max(0, ...ages) / 1000;
}

/** Retry time of one deadline: the sweep has others to execute. */
const retryBudgetMs = 8_000;

/** Executes a deadline once, even if several sweeps try. False: nothing is left of it. */
type Action = (deadline: DueDeadline) => Promise<unknown>;

/** Imported when first due: most sweeps execute few kinds, or none. */
export const actions: Readonly<Record<string, Action>> = {
  /** The command that changed the block was interrupted. */
  apply_cardholder_block: async (deadline) => {
    const { application, applyCardholderBlock } = await import("../../shared/cards/cardholder-block.ts");
    await applyCardholderBlock(deadline.ownerId, application.parse(deadline).cardholderId);
    return false;
  },

  /** The change of limits was interrupted before the gateway applied it. */
  apply_limits: async (deadline) => {
    const { applyRateLimits } = await import("../../shared/tenancy/usage/program-usage.ts");
    await applyRateLimits(deadline.ownerId);
    return false;
  },

  charge_maintenance: async (deadline) =>
    (await import("./charge-maintenance.ts")).chargeMaintenance(deadline),

  check_report: async (deadline) => (await import("./due-reports.ts")).checkReport(deadline),

  /** The hold days of what was pulled are over. */
  clear_pull: async (deadline) => {
    const { clearing } = await import("../../shared/payments/pull.ts");
    const { pullClearing } = await import("../../shared/payments/pull-step.ts");
    const { execute } = await import("../../shared/changes/execute.ts");
    const { ownerId: programId } = deadline;
    return "answer" in (await execute(pullClearing, { programId, pullId: clearing.parse(deadline).pullId }));
  },

  clear_deposit: async (deadline) => (await import("./due-deposits.ts")).clearDeposit(deadline),

  /** After 72 hours a resolved ticket reads as closed already. Its status is the claim. */
  close_ticket: async (deadline) => {
    const { closeTicket } = await import("../../shared/tenancy/tickets/ticket.ts");
    return closeTicket(deadline.ownerId, deadline.deadlineId, timestamp());
  },

  credit_dispute: async (deadline) => {
    const { creditDispute } = await import("../../shared/disputes/deadlines.ts");
    const { takeDisputeStep } = await import("./due-network-events.ts");
    return takeDisputeStep(deadline, creditDispute.parse(deadline).disputeId, "credit");
  },

  /** After five days of failures: sends a last probe, whose failure switches the endpoint off. */
  decide_endpoint: async (deadline) => {
    const { ownerId: programId, deadlineId: endpointId } = deadline;
    const { endpointHealth, isGivenUp } = await import("../../shared/notifications/delivery/endpoint.ts");
    const health = await endpointHealth.at(programId, endpointId).get();
    if (health?.probedWith !== undefined && isGivenUp(health, now())) {
      const { Delivery, putBack } = await import("../../shared/notifications/delivery/delivery.ts");
      const ids = { programId, endpointId, messageId: health.probedWith, deliveryId: newId("event") };
      await putBack(Delivery.parse({ kind: "notification", ...ids }), 0);
    }
    return false;
  },

  end_dispute: async (deadline) =>
    (await import("./due-network-events.ts")).takeDisputeStep(deadline, deadline.deadlineId, "end"),

  end_plastic: async (deadline) =>
    (await import("../../shared/plastics/end-plastic.ts")).endReplaced(deadline),

  /** The compliance provider has not decided in 30 days. */
  end_review: async (deadline) => {
    const { endOfReview, endReview } = await import("../../shared/cardholders/review.ts");
    return endReview(deadline.ownerId, endOfReview.parse(deadline).sessionId);
  },

  /** The bank has not reported it. */
  expire_deposit: async (deadline) => (await import("./due-deposits.ts")).expireDeposit(deadline),

  /** An external account was not verified in 14 days. */
  end_account_verification: async (deadline) => {
    const { ownerId: programId, deadlineId: externalAccountId } = deadline;
    const { execute } = await import("../../shared/changes/execute.ts");
    const { verificationExpiry } = await import("../../shared/external-accounts/account-changes.ts");
    await execute(verificationExpiry, { programId, externalAccountId });
  },

  /** A token's passcode was not entered in ten minutes. */
  end_verification: async (deadline) => (await import("./due-tokens.ts")).expireVerification(deadline),

  /** A challenge in the Tenant's app was not answered. */
  expire_authentication: async (deadline) => {
    const { expireInApp } = await import("../../shared/authentications/end-challenge.ts");
    await expireInApp(deadline.ownerId, deadline.deadlineId);
    return false;
  },

  expire_hold: async (deadline) => (await import("./due-network-events.ts")).expireDueHold(deadline),

  /** The passcode already reads as expired; this deletes it, and ends its authentication. */
  forget_code: async ({ ownerId, deadlineId }) => {
    const { expirePasscode } = await import("../../shared/authentications/end-challenge.ts");
    await expirePasscode(ownerId, deadlineId);
  },

  /** The Card was closed: its tokens end too. */
  forget_pin: async (deadline) => {
    const { askVault, pinDeletion } = await import("../../shared/cards/ask-vault.ts");
    const { ownerId: programId } = deadline;
    const { cardId } = pinDeletion.parse(deadline);
    const { deleteTokens } = await import("./due-tokens.ts");
    await deleteTokens(programId, cardId);
    const { outcome } = await askVault("forget-pin", { programId, cardId });
    if (outcome !== "forgotten") throw new Error(`The Card ${cardId} is not closed.`);
    const { tellClosed } = await import("../../shared/plastics/tell-update.ts");
    await tellClosed(deadline, cardId);
  },

  remind_certificate: async (deadline) =>
    (await import("./remind-of-certificate.ts")).remindOfCertificate(deadline),

  lapse_authorization: async (deadline) =>
    (await import("./due-network-events.ts")).lapseDueAuthorization(deadline),

  lapse_question: async (deadline) => (await import("./due-questions.ts")).lapseQuestion(deadline),

  make_report: async (deadline) => (await import("./due-reports.ts")).makeDueReport(deadline),

  /** A Wallet was split an hour ago. If it is still contended, it is split again. */
  merge_shards: async (deadline) => {
    const { mergeShards, merging } = await import("../../shared/ledger/hot/split-wallet.ts");
    const account = { kind: "wallet", accountId: merging.parse(deadline).walletId } as const;
    await mergeShards(deadline.ownerId, account, { rests: false });
    return false;
  },

  /** Sends before it deletes the deadline. A repeated message still makes one attempt. */
  retry_delivery: async (deadline) => {
    const { putBack, retrying } = await import("../../shared/notifications/delivery/delivery.ts");
    await putBack(retrying.parse(deadline).delivery, 0);
    await transact([deadlineDelete(deadline.ownerId, deadline.deadlineId)]);
  },

  renew_cards: async (deadline) => (await import("./renew-cards.ts")).renewCards(deadline),

  resume_top_up: async (deadline) =>
    (await import("../../shared/top-ups/top-up-card.ts")).resumeTopUp(deadline),

  retry_top_ups: async (deadline) =>
    (await import("../../shared/top-ups/top-up-card.ts")).retryTopUps(deadline),

  send_payments: async (deadline) => (await import("./send-payments.ts")).sendDuePayments(deadline),

  tell_account_update: async (deadline) =>
    (await import("../../shared/plastics/tell-update.ts")).tellUpdate(deadline),

  /** A payout was not approved in 72 hours. */
  unapproved_payout: async (deadline) => (await import("./due-payments.ts")).expireApproval(deadline),

  /** The bank has not reported a payment in five business days. */
  unreported_payment: async (deadline) => (await import("./due-payments.ts")).tellUnreported(deadline),

  walk_changes: async (deadline) => (await import("./walk-changes.ts")).walkChanges(deadline),
};

/** Returns whether it was executed. Logs and postpones a failed one. Never rejects. */
export async function executeDeadline(deadline: DueDeadline): Promise<boolean> {
  const { kind, deadlineId, ownerId, failures, dueAt } = deadline;
  // The clock was set back since: what says that it is not due yet would lose its deadline.
  if (now() < dueAt) return false;
  try {
    const execute = actions[kind];
    if (!execute) throw new Error(`The kind of deadline ${kind} is unknown.`);
    const isDone = await correlated({ ...deadline.cause, deadlineId }, () =>
      withinTime(retryBudgetMs, () => execute(deadline)),
    );
    // Fails if it was moved meanwhile.
    if (isDone === false) await transact([deadlineClaim(deadline, undefined)]);
    return true;
  } catch (error) {
    log.error("The deadline failed.", { kind, deadlineId, ownerId, failures, error });
    await postpone(deadline).catch((reason: unknown) =>
      log.error("The deadline stays due.", { kind, deadlineId, ownerId, error: reason }),
    );
    return false;
  }
}
