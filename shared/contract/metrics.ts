/** Where all metrics of the platform's own stand in CloudWatch. */
export const metricNamespace = "CardIssuing";

interface Metric {
  readonly unit: "Count" | "Milliseconds" | "Seconds";
  /**
   * What it is told apart by beside the environment, each by itself and not together. Each value is a metric to pay for: few values, and never an
   * id. The whole stands without.
   */
  readonly by?: "function" | "reason";
}

/** What the functions measure, by name. */
export const metrics = {
  /** Authorizations and increments that were decided, either way. */
  Authorizations: { unit: "Count" },
  AuthorizationsApproved: { unit: "Count" },
  AuthorizationsDeclined: { unit: "Count", by: "reason" },
  /** Callbacks and alerts that were sent, each time that they were. */
  DeliveryAttempts: { unit: "Count", by: "function" },
  /** Those that no 2xx came back for. */
  DeliveryFailures: { unit: "Count", by: "function" },
  /** From the event to the answer of its receiver, where the first attempt got it there and did not have to wait for the receiver's others. */
  DeliveryLag: { unit: "Milliseconds", by: "function" },
  /** The same where it took more attempts or had to wait, which is the receiver's doing. */
  RetriedDeliveryLag: { unit: "Milliseconds", by: "function" },
  /** Requests let in on a confirmation of up to ten minutes ago, since DNS did not answer. */
  AllowedWithoutDns: { unit: "Count" },
  /** Times that a write was made again because somebody else had its items in hand. */
  WriteConflicts: { unit: "Count" },
  /** Writes that were given up for it. */
  WritesGivenUp: { unit: "Count" },
  /** Deposit events from the queue that contradict what is recorded. */
  DepositEventsRefused: { unit: "Count" },
  /** Deposits that no Card or Wallet could take: they wait in suspense for the operator. */
  DepositsSuspended: { unit: "Count" },
  /** For how long the oldest due deadline has waited when a sweep begins; 0 where none is due. */
  OldestDueDeadlineSeconds: { unit: "Seconds" },
  /** The same for urgent ones: expiries of holds, clearings of deposits, blocks of Cards. */
  OldestUrgentDeadlineSeconds: { unit: "Seconds" },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

/** What tells a metric's values apart. */
export type MetricDimension = "environment" | NonNullable<Metric["by"]>;
