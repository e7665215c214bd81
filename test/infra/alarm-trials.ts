import type { Severity } from "../../infra/constructs/operations/alarms.ts";
import type { Settings } from "../../infra/environments.ts";
import { metricNamespace } from "../../shared/contract/metrics.ts";
import { type Measurement, quota } from "./alarm-states.ts";
import {
  type Dimensions,
  of,
  scarceTrial,
  type Trial,
  throttledTrial,
  times,
  type Values,
} from "./alarm-trial.ts";
import { versionTrials } from "./version-trials.ts";

/** The trials of one environment, by the alarms' names without its own. */
export function trialsOf({
  name: environment,
  platformHost,
  sandboxHost,
  webhookHost,
}: Settings): Readonly<Record<string, Trial>> {
  const named = (name: string) => `card-issuing-${environment}-${name}`;
  const lambda = (folder: string, values: Values) =>
    of("AWS/Lambda", { FunctionName: named(folder) }, values);
  const queue = (name: string, values: Values) => of("AWS/SQS", { QueueName: named(name) }, values);
  const own = (values: Values, more: Dimensions = {}) =>
    of(metricNamespace, { environment, ...more }, values);
  const gateway = (api: string, values: Values) => of("AWS/ApiGateway", { ApiName: named(api) }, values);

  const age = (name: string, severity: Severity): Trial => {
    const waiting = (seconds: number) => queue(name, { ApproximateAgeOfOldestMessage: seconds });
    return {
      severity,
      off: times(3, waiting(301)),
      // A message that fails counts until its third attempt: two periods at the most.
      on: [times(20, waiting(300)), [...times(2, waiting(540)), waiting(0), ...times(2, waiting(540))]],
    };
  };
  const dead = (name: string, severity: Severity = "ticket"): Trial => {
    const waiting = (count: number) =>
      queue(`${name}-dead-letters`, { ApproximateNumberOfMessagesVisible: count });
    return { severity, off: [waiting(1)], on: [times(5, waiting(0))] };
  };
  const lag = (folder: string, severity: Severity, limit: number): Trial => ({
    severity,
    off: times(2, lambda(folder, { IteratorAge: limit + 1 })),
    on: [
      times(9, lambda(folder, { IteratorAge: limit })),
      [lambda(folder, { IteratorAge: 2 * limit }), [], []],
    ],
  });
  const api = (id: string, name: string, severity: Severity): Record<string, Trial> => ({
    [`${id}Errors`]: {
      severity,
      off: times(2, gateway(name, { "5XXError": 20, Count: 1_900 })),
      on: [
        times(9, gateway(name, { "5XXError": 5, Count: 2_000_000 })),
        times(9, gateway(name, { "5XXError": 9, Count: 10 })),
        [gateway(name, { "5XXError": 500, Count: 600 }), ...times(3, gateway(name, { Count: 600 }))],
      ],
    },
    [`${id}Latency`]: {
      severity: "ticket",
      off: times(3, [...gateway(name, { Latency: [3_001, 100], Count: 100 })]),
      on: [
        times(9, gateway(name, { Latency: [9_000, 99], Count: 99 })),
        times(9, [
          ...gateway(name, { Latency: [100, 990], Count: 1_000 }),
          ...gateway(name, { Latency: [9_000, 9] }),
        ]),
      ],
    },
    [`${id}TooMany`]: {
      severity: "ticket",
      off: times(3, [
        ...of(metricNamespace, {}, { [`${id}TooManyRequests`]: 101 }),
        ...gateway(name, { Count: 1_000 }),
      ]),
      on: [
        times(9, [
          ...of(metricNamespace, {}, { [`${id}TooManyRequests`]: 99 }),
          ...gateway(name, { Count: 99 }),
        ]),
        times(9, [
          ...of(metricNamespace, {}, { [`${id}TooManyRequests`]: 5_000 }),
          ...gateway(name, { Count: 200_000 }),
        ]),
      ],
    },
  });
  const table = (id: string, index?: string): Trial => {
    const throttled = (count: number, events: "Read" | "Write", index: Dimensions = {}) =>
      of("AWS/DynamoDB", { TableName: id, ...index }, { [`${events}ThrottleEvents`]: count });
    const units = (count: number) =>
      of("AWS/DynamoDB", { TableName: id }, { ConsumedWriteCapacityUnits: count });
    return {
      severity: "page",
      // DynamoDB has no data of reads or writes while none is throttled.
      off: times(2, [
        ...(index === undefined
          ? throttled(50, "Write")
          : [...throttled(20, "Read"), ...throttled(30, "Write", { GlobalSecondaryIndexName: index })]),
        ...units(4_000),
      ]),
      on: [
        times(9, [...throttled(1, "Write"), ...units(10)]),
        times(9, [...throttled(900, "Write"), ...units(1_000_000)]),
        [[...throttled(900, "Read"), ...units(900)], units(900), units(900)],
      ],
    };
  };
  const late = (folder: string, severity: Severity, limit: number): Trial => {
    const lags = (milliseconds: number, count: number) =>
      own({ DeliveryLag: [milliseconds, count] }, { function: folder });
    return {
      severity,
      off: times(3, lags(limit + 1, 20)),
      on: [times(9, lags(9 * limit, 19)), times(9, [...lags(9 * limit, 9), ...lags(50, 91)])],
    };
  };
  const any = (name: string): Trial => ({
    severity: "ticket",
    off: [own({ [name]: 1 })],
    on: [times(3, own({ [name]: 0 }))],
  });
  const nearQuota = (used: (share: number) => Measurement[]): Trial => ({
    severity: "page",
    off: times(3, used(0.81)),
    on: [times(30, used(0.8)), [...times(2, used(1)), ...times(3, used(0.1)), ...times(2, used(1))]],
  });
  const kms = (Resource: string) => (share: number) =>
    of("AWS/Usage", { Service: "KMS", Type: "API", Resource, Class: "None" }, { CallCount: share * quota });
  const rate = (metric: string, limit: number): Trial => ({
    severity: "ticket",
    off: [of("AWS/SES", {}, { [metric]: limit * 1.1 })],
    on: [times(9, of("AWS/SES", {}, { [metric]: limit })), times(9, [])],
  });

  const blocked = (WebACL: string): Trial => {
    const dimensions = { WebACL, Rule: "RequestsFromOneAddress", Region: "eu-west-1" };
    const counted = (count: number) => of("AWS/WAFV2", dimensions, { BlockedRequests: count });
    return { severity: "ticket", off: [counted(1)], on: [times(9, counted(0))] };
  };
  const certificate = ({ certificateArn: CertificateArn }: Settings["platformHost"]): Trial => {
    const left = (days: number) => of("AWS/CertificateManager", { CertificateArn }, { DaysToExpiry: days });
    return { severity: "ticket", off: [left(29)], on: [[left(60), left(30), []]] };
  };
  return {
    AccountsTableThrottled: table("AccountsTable"),
    IssuingTableThrottled: table("IssuingTable", "by-due"),
    AddressBlocked: blocked(`card-issuing-${environment}`),
    WebhookSenderBlocked: blocked(named("webhooks")),
    AlertDeliveryAge: age("alert-delivery", "page"),
    AlertDeliveryDeadLetters: dead("alert-delivery"),
    AlertsLate: late("alert-delivery", "page", 30_000),
    ApprovalsCollapsed: {
      severity: "page",
      off: times(3, own({ Authorizations: 100, AuthorizationsApproved: 19 })),
      on: [
        times(9, own({ Authorizations: 19, AuthorizationsApproved: 0 })),
        times(9, own({ Authorizations: 100, AuthorizationsApproved: 20 })),
        [
          ...times(2, own({ Authorizations: 100, AuthorizationsApproved: 0 })),
          own({ Authorizations: 100, AuthorizationsApproved: 90 }),
        ],
      ],
    },
    AuthorizationsFailing: {
      severity: "page",
      off: [lambda("processor-events", { Errors: 3, Throttles: 2, Invocations: 400 })],
      on: [
        times(9, lambda("processor-events", { Errors: 4, Throttles: 0, Invocations: 4 })),
        times(9, lambda("processor-events", { Errors: 5, Throttles: 0, Invocations: 1_000_000 })),
        times(9, lambda("processor-events", { Errors: 0, Throttles: 1, Invocations: 10 })),
      ],
    },
    BackgroundJobsAge: age("background-jobs", "ticket"),
    BackgroundJobsDeadLetters: dead("background-jobs"),
    CallbackDeliveryAge: age("callback-delivery", "page"),
    CallbackDeliveryDeadLetters: dead("callback-delivery"),
    SlowCallbacksAge: age("slow-callbacks", "ticket"),
    SlowCallbacksDeadLetters: dead("slow-callbacks"),
    CallbacksLate: late("callback-delivery", "ticket", 60_000),
    ConcurrencyNearQuota: nearQuota((share) => of("AWS/Lambda", {}, { ConcurrentExecutions: share * quota })),
    DeadlinesFailing: {
      severity: "page",
      off: [lambda("deadlines", { Errors: 3 })],
      on: [times(9, lambda("deadlines", { Errors: 2 }))],
    },
    DeadlinesLate: {
      severity: "ticket",
      off: times(2, own({ OldestDueDeadlineSeconds: 901 })),
      on: [times(9, own({ OldestDueDeadlineSeconds: 900 }))],
    },
    DeadlinesSilent: {
      severity: "page",
      off: [[]],
      on: [times(9, lambda("deadlines", { Invocations: 1 }))],
    },
    DeadlinesStuck: {
      severity: "ticket",
      off: [of(metricNamespace, {}, { DeadlinesStuck: 1 })],
      on: [times(9, [])],
    },
    DepositEventsRefused: any("DepositEventsRefused"),
    DepositsSuspended: any("DepositsSuspended"),
    PaymentsUnreported: any("PaymentsUnreported"),
    EmailComplaints: rate("Reputation.ComplaintRate", 0.001),
    EmailsBounce: rate("Reputation.BounceRate", 0.05),
    EvidenceAge: age("evidence", "ticket"),
    EvidenceDeadLetters: dead("evidence"),
    FilesAge: age("files", "ticket"),
    FilesDeadLetters: dead("files"),
    FunctionsThrottled: {
      ...throttledTrial({}, "page"),
      on: [
        ...throttledTrial({}, "page").on,
        // Sweeps that wait for the one before.
        times(9, [
          ...of("AWS/Lambda", {}, { Throttles: 14, Invocations: 90 }),
          ...lambda("deadlines", { Throttles: 10 }),
        ]),
      ],
    },
    KmsEllipticNearQuota: nearQuota(kms("CryptographicOperationsEcc")),
    KmsSymmetricNearQuota: nearQuota(kms("CryptographicOperationsSymmetric")),
    ListIndexerGivenUp: dead("list-indexer"),
    ListIndexerLag: lag("list-indexer", "ticket", 1_800_000),
    LoopsStopped: {
      severity: "ticket",
      off: [of("AWS/Lambda", {}, { RecursiveInvocationsDropped: 1 })],
      on: [times(9, [])],
    },
    NumbersExhausted: any("NumbersExhausted"),
    NumbersScarce: scarceTrial(own),
    OutboxRelayGivenUp: dead("outbox-relay", "page"),
    OutboxRelayLag: lag("outbox-relay", "page", 300_000),
    OutsideAge: {
      severity: "ticket",
      off: [queue("outside", { ApproximateAgeOfOldestMessage: 86_401 })],
      on: [times(9, queue("outside", { ApproximateAgeOfOldestMessage: 86_400 }))],
    },
    OutsideDeadLetters: dead("outside"),
    ...api("PlatformApi", "platform", "page"),
    ...(sandboxHost && api("SandboxApi", "sandbox", "ticket")),
    ...api("WebhookApi", "webhooks", "page"),
    PlatformHostCertificateEnds: certificate(platformHost),
    ...(sandboxHost && { SandboxHostCertificateEnds: certificate(sandboxHost) }),
    WebhookHostCertificateEnds: certificate(webhookHost),
    ProcessorEventsAge: age("processor-events", "page"),
    ProcessorEventsDeadLetters: dead("processor-events"),
    UrgentDeadlinesLate: {
      severity: "page",
      off: times(2, own({ OldestUrgentDeadlineSeconds: 121 })),
      on: [
        times(9, own({ OldestUrgentDeadlineSeconds: 120 })),
        [own({ OldestUrgentDeadlineSeconds: 400 }), []],
      ],
    },
    ...versionTrials(named),
    WebhookFanoutAge: age("webhook-fanout", "ticket"),
    WebhookFanoutDeadLetters: dead("webhook-fanout"),
    WritesGivenUp: {
      severity: "ticket",
      off: times(2, own({ WritesGivenUp: 5 })),
      on: [times(9, own({ WritesGivenUp: 4 })), [own({ WritesGivenUp: 90 }), [], []]],
    },
  };
}
