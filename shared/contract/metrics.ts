export const metricNamespace = "CardIssuing";

interface Metric {
  readonly unit: "Count" | "Milliseconds" | "Seconds";
  /**
   * A dimension beside the environment; the metric is also written without it. Each value is billed as a
   * metric: few values, never an id.
   */
  readonly by?: "function" | "reason";
}

export const metrics = {
  /** Decided authorizations and increments, approved or declined. */
  Authorizations: { unit: "Count" },
  AuthorizationsApproved: { unit: "Count" },
  AuthorizationsDeclined: { unit: "Count", by: "reason" },
  /** Attempts to send callbacks and alerts. */
  DeliveryAttempts: { unit: "Count", by: "function" },
  /** Attempts that no 2xx answered. */
  DeliveryFailures: { unit: "Count", by: "function" },
  /**
   * From the event to the receiver's answer, if the first attempt succeeded and did not wait for the
   * receiver's other deliveries.
   */
  DeliveryLag: { unit: "Milliseconds", by: "function" },
  /** The same for deliveries that were retried or waited, which is the receiver's doing. */
  RetriedDeliveryLag: { unit: "Milliseconds", by: "function" },
  /** Requests admitted on a DNS confirmation of up to ten minutes ago, because DNS did not answer. */
  AllowedWithoutDns: { unit: "Count" },
  /** Retries of writes after a conflict. */
  WriteConflicts: { unit: "Count" },
  /** Writes given up after conflicts. */
  WritesGivenUp: { unit: "Count" },
  /** Deposit events from the queue that contradict what is recorded. */
  DepositEventsRefused: { unit: "Count" },
  /** Deposits sent to suspense. */
  DepositsSuspended: { unit: "Count" },
  /** How long the oldest due deadline has waited when a sweep begins; 0 if none is due. */
  OldestDueDeadlineSeconds: { unit: "Seconds" },
  /** The same for urgent ones: expiries of holds, clearings of deposits, blocks of Cards. */
  OldestUrgentDeadlineSeconds: { unit: "Seconds" },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

export type MetricDimension = "environment" | NonNullable<Metric["by"]>;
