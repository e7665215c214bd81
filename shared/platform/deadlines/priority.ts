/** What a deadline is for. */
export const deadlineKinds = [
  "clear_deposit",
  "expire_hold",
  "charge_maintenance",
  "forget_code",
  "remind_certificate",
  "retry_callback",
  "decide_endpoint",
  "close_ticket",
  "apply_cardholder_block",
  "retry_alert",
  "apply_limits",
] as const;
export type DeadlineKind = (typeof deadlineKinds)[number];

/** In the order in which a sweep takes them. Each has its own partitions, so that many of one never hide another. */
export const deadlinePriorities = ["urgent", "normal", "bulk"] as const;
export type DeadlinePriority = (typeof deadlinePriorities)[number];

/** Urgent: a cardholder's money becomes available, or cards are stopped. Bulk: what falls due by the thousand and can wait. */
const priorities: Readonly<Record<DeadlineKind, DeadlinePriority>> = {
  expire_hold: "urgent",
  clear_deposit: "urgent",
  apply_cardholder_block: "urgent",
  forget_code: "normal",
  remind_certificate: "normal",
  retry_callback: "normal",
  decide_endpoint: "normal",
  retry_alert: "normal",
  close_ticket: "normal",
  apply_limits: "normal",
  charge_maintenance: "bulk",
};

/** Partitions of the `by-due` index for each priority, by how often its deadlines are written. */
export const dueShardCounts: Readonly<Record<DeadlinePriority, number>> = { urgent: 16, normal: 8, bulk: 4 };

export function priorityOf(kind: DeadlineKind): DeadlinePriority {
  return priorities[kind];
}

export function dueShard(priority: DeadlinePriority, shard: number): string {
  return `DUE#${priority}#${shard}`;
}

/** All partitions of a priority. */
export function dueShards(priority: DeadlinePriority): string[] {
  return Array.from({ length: dueShardCounts[priority] }, (_, shard) => dueShard(priority, shard));
}
