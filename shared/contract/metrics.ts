export const metricNamespace = "CardIssuing";

interface Metric {
  readonly unit: "Count" | "Milliseconds" | "Seconds";
  /**
   * A dimension besides the environment, without which the metric is not written. Each value costs
   * as much as a metric, so there must be few; never an id.
   */
  readonly by?: "function" | "reason";
}

export const metrics = {
  /** Authorizations and increments with a decision. */
  Authorizations: { unit: "Count" },
  /** The others have their reason in the log: each of some 25 would cost as much as a metric. */
  AuthorizationsApproved: { unit: "Count" },
  /** Authorizations that an authorization endpoint is to decide. */
  Questions: { unit: "Count" },
  /** Those that the stand-in decides. */
  QuestionsFailed: { unit: "Count" },
  /** From the question to its answer, or to the deadline. */
  AnswerLatency: { unit: "Milliseconds" },
  /** Answers after the deadline. */
  LateAnswers: { unit: "Count" },
  /** Messages of a card network that get no answer: it repeats them, or stands in. */
  MessagesUnanswered: { unit: "Count", by: "reason" },
  /** Messages that came from a card network. Each listener counts them once a minute, also none. */
  MessagesReceived: { unit: "Count" },
  /** How long until the certificate of the network's listener expires. */
  ListenerCertificateDays: { unit: "Count" },
  /** Attempts to send callbacks and alerts. */
  DeliveryAttempts: { unit: "Count", by: "function" },
  /** Attempts without a 2xx answer. */
  DeliveryFailures: { unit: "Count", by: "function" },
  /** From the event to the receiver's answer, for first attempts that did not have to wait. */
  DeliveryLag: { unit: "Milliseconds", by: "function" },
  /** The same for deliveries that waited or were retried because of their receiver. */
  RetriedDeliveryLag: { unit: "Milliseconds", by: "function" },
  /**
   * Requests admitted by a DNS confirmation of the last ten minutes, because DNS did not answer.
   */
  AllowedWithoutDns: { unit: "Count" },
  WriteConflicts: { unit: "Count" },
  WritesGivenUp: { unit: "Count" },
  /** Card numbers that were given to Cards. */
  NumbersDrawn: { unit: "Count" },
  /** Those that were drawn and were another Card's: their share of all tells how full a BIN is. */
  NumberCollisions: { unit: "Count" },
  /** Cards that got no number: hardly one of their BIN is left. */
  NumbersExhausted: { unit: "Count" },
  /** Deposit events from the queue that contradict the stored deposit. */
  DepositEventsRefused: { unit: "Count" },
  DepositsSuspended: { unit: "Count" },
  /** Payments of which the bank has said nothing for five business days. */
  PaymentsUnreported: { unit: "Count" },
  /** Age of the oldest due deadline when a sweep begins; 0 if none is due. */
  OldestDueDeadlineSeconds: { unit: "Seconds" },
  /** The same for expiries of holds, clearings of deposits and blocks of Cards. */
  OldestUrgentDeadlineSeconds: { unit: "Seconds" },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

export type MetricDimension = "environment" | NonNullable<Metric["by"]>;
