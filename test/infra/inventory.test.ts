import { describe, expect, test } from "vitest";
import { type EnvironmentName, environmentNames, readSettings } from "../../infra/environments.ts";
import { settleMs } from "../../shared/proofs/checkpoint.ts";
import { type Resource, resourcesOf, synthesized } from "./synthesized.ts";

type Counts = Readonly<Record<string, number>>;

/** What gives a new version of a function its invocations in steps, beside its aliases. */
const steps = { "CodeDeploy::Application": 1, "CodeDeploy::DeploymentGroup": 1, "Lambda::Version": 1 };
const functionParts = { "IAM::Policy": 1, "IAM::Role": 1, "Lambda::Function": 1, "Logs::LogGroup": 1 };

/** The resources of staging, by stack. */
const staging: Readonly<Record<string, Counts>> = {
  data: {
    "DynamoDB::GlobalTable": 2,
    "KMS::Key": 2,
    "S3::Bucket": 5,
    "S3::BucketPolicy": 5,
    "SecretsManager::Secret": 1,
  },
  telemetry: {
    "ApiGateway::Account": 1,
    "CloudWatch::Alarm": 2,
    "IAM::Role": 1,
    "KMS::Key": 1,
    "SNS::Subscription": 2,
    "SNS::Topic": 2,
    "SNS::TopicPolicy": 2,
  },
  vault: {
    ...steps,
    "CloudWatch::Alarm": 2,
    "CodeDeploy::DeploymentGroup": 7,
    "DynamoDB::GlobalTable": 1,
    "KMS::Key": 7,
    ...functionParts,
    "IAM::Policy": 2,
    "IAM::Role": 2,
    "Lambda::Alias": 7,
    "Lambda::EventInvokeConfig": 8,
  },
  messaging: {
    ...steps,
    "CloudWatch::Alarm": 41,
    "Events::EventBus": 1,
    "Events::Rule": 9,
    "IAM::Policy": 12,
    "IAM::Role": 12,
    "Lambda::Alias": 1,
    "Lambda::EventInvokeConfig": 1,
    "Lambda::EventSourceMapping": 10,
    "Lambda::Function": 11,
    "Lambda::Permission": 1,
    "Logs::LogGroup": 11,
    "Logs::MetricFilter": 1,
    "SQS::Queue": 20,
    "SQS::QueuePolicy": 20,
  },
  api: {
    ...steps,
    "ApiGateway::Deployment": 2,
    "ApiGateway::RestApi": 2,
    "ApiGateway::Stage": 2,
    "CloudWatch::Alarm": 9,
    "IAM::Policy": 21,
    "IAM::Role": 21,
    "Lambda::Alias": 1,
    "Lambda::Function": 20,
    "Lambda::Permission": 20,
    "Logs::LogGroup": 24,
    "Logs::MetricFilter": 2,
  },
  sandbox: {
    "ApiGateway::Deployment": 1,
    "ApiGateway::RestApi": 1,
    "ApiGateway::Stage": 1,
    "CloudWatch::Alarm": 3,
    ...functionParts,
    "Lambda::Permission": 2,
    "Logs::LogGroup": 3,
    "Logs::MetricFilter": 1,
  },
  operations: { "CloudWatch::Alarm": 8, "CloudWatch::Dashboard": 1, "Events::Rule": 9, ...functionParts },
  edge: {
    "ApiGateway::DomainName": 3,
    "ApiGateway::UsagePlan": 11,
    "ApiGatewayV2::ApiMapping": 4,
    "CloudWatch::Alarm": 5,
    "IAM::Policy": 3,
    "Logs::LogGroup": 2,
    "Route53::RecordSet": 3,
    "WAFv2::LoggingConfiguration": 2,
    "WAFv2::WebACL": 2,
    "WAFv2::WebACLAssociation": 3,
  },
};

const { sandbox: _, ...withoutSandbox } = staging;
const inventory: Readonly<Record<EnvironmentName, Readonly<Record<string, Counts>>>> = {
  // It has a second authority, sends no alarms by email, reserves no concurrency, and has host
  // names in no zone.
  local: {
    ...staging,
    vault: { ...staging.vault, "CloudWatch::Alarm": 1 },
    messaging: { ...staging.messaging, "CloudWatch::Alarm": 40 },
    api: { ...staging.api, "CloudWatch::Alarm": 7 },
    data: { ...staging.data, "KMS::Key": 3 },
    telemetry: without(staging.telemetry, "SNS::Subscription"),
    edge: without(staging.edge, "Route53::RecordSet"),
  },
  staging,
  production: {
    ...withoutSandbox,
    // It has no alias for the sandbox.
    vault: {
      ...staging.vault,
      "CodeDeploy::DeploymentGroup": 6,
      "Lambda::Alias": 6,
      "Lambda::EventInvokeConfig": 7,
    },
    // Of the second copy.
    operations: { ...staging.operations, "CloudWatch::Alarm": 9, "Events::Rule": 10 },
    backup: {
      "Backup::BackupPlan": 1,
      "Backup::BackupSelection": 1,
      "Backup::BackupVault": 1,
      "IAM::Role": 1,
      "KMS::Key": 1,
    },
    edge: {
      ...staging.edge,
      "ApiGateway::DomainName": 2,
      "ApiGateway::UsagePlan": 10,
      "ApiGatewayV2::ApiMapping": 2,
      "CloudWatch::Alarm": 4,
      "Route53::RecordSet": 2,
      "WAFv2::WebACLAssociation": 2,
    },
  },
};

/** Memory in MB, seconds until the timeout. */
const functions: Readonly<Record<string, readonly [memory: number, timeout: number]>> = {
  account: [1024, 10],
  "alert-delivery": [1024, 30],
  authentications: [1024, 10],
  authorizer: [1024, 5],
  "background-jobs": [1024, 45],
  "connection-webhooks": [1024, 10],
  "callback-delivery": [256, 30],
  cardholders: [1024, 10],
  cards: [1024, 10],
  certificates: [1024, 10],
  controls: [1024, 10],
  disputes: [1024, 10],
  payouts: [1024, 10],
  tokens: [1024, 10],
  "external-accounts": [1024, 10],
  statements: [1769, 20],
  bulk: [1769, 20],
  deadlines: [1024, 55],
  evidence: [1024, 30],
  files: [1024, 20],
  ledger: [1024, 25],
  "list-indexer": [1769, 900],
  operator: [1024, 30],
  otp: [1024, 10],
  "outbox-relay": [1024, 30],
  "processor-events": [1024, 30],
  reports: [1769, 25],
  sandbox: [1024, 10],
  settlements: [1024, 10],
  vault: [384, 30],
  wallets: [1024, 10],
  "webhook-fanout": [1024, 30],
  webhooks: [1024, 20],
};

const stream = {
  BisectBatchOnFunctionError: true,
  MaximumRecordAgeInSeconds: 43_200,
  MaximumRetryAttempts: 10,
  StartingPosition: "TRIM_HORIZON",
};
const queue = { BatchSize: 10, FunctionResponseTypes: ["ReportBatchItemFailures"] };
/** What a stream or queue gives a function at once, and what becomes of what fails. */
const eventSources: Readonly<Record<string, object>> = {
  "outbox-relay": { ...stream, BatchSize: 100, FunctionResponseTypes: ["ReportBatchItemFailures"] },
  "list-indexer": { ...stream, BatchSize: 1000, MaximumBatchingWindowInSeconds: 20 },
  "processor-events": queue,
  evidence: { ...queue, BatchSize: 1 },
  files: { ...queue, BatchSize: 1 },
  "background-jobs": { ...queue, BatchSize: 1 },
  "callback-delivery": queue,
  "webhook-fanout": queue,
  "alert-delivery": queue,
};

describe.each(environmentNames)("the inventory of %s", (name) => {
  const templates = synthesized(name);

  test("has exactly these resources in each stack", () => {
    const found = Object.entries(templates).map(([part, template]) => {
      const types = Object.values<Resource>(template.toJSON().Resources).map(({ Type }) =>
        Type.replace("AWS::", ""),
      );
      return [part, counted(types)];
    });
    expect(Object.fromEntries(found)).toEqual(inventory[name]);
  });

  const all = resourcesOf(templates, "AWS::Lambda::Function");
  const folderOf = ({ Properties }: Resource): string => Properties.Environment.Variables.SERVICE_NAME;

  test("has functions with this memory and timeout, and the reserved concurrency of the settings", () => {
    const { concurrency } = readSettings(name);
    const reserved: Record<string, number | undefined> = {
      deadlines: 1,
      ...Object.fromEntries(Object.entries(concurrency).map(([folder, own]) => [folder, own?.reserved])),
    };
    for (const [, one] of all) {
      const { MemorySize, Timeout, ReservedConcurrentExecutions } = one.Properties;
      const folder = folderOf(one);
      expect([MemorySize, Timeout, ReservedConcurrentExecutions], folder).toEqual([
        ...(functions[folder] ?? []),
        reserved[folder],
      ]);
      // Commits nothing.
      if (folder !== "list-indexer") expect(Timeout * 1_000, folder).toBeLessThan(settleMs);
    }
  });

  test("invokes functions from streams and queues with these batch sizes and retries", () => {
    for (const [, { Properties }] of resourcesOf(templates, "AWS::Lambda::EventSourceMapping")) {
      const {
        FunctionName,
        EventSourceArn: _source,
        DestinationConfig: _failed,
        FilterCriteria: _filter,
        ScalingConfig: _scaling,
        ...rest
      } = Properties;
      // Of an alias, the name is part of its ARN.
      const id = FunctionName.Ref ?? /"Ref":"(\w+?)Aliaslive/.exec(JSON.stringify(FunctionName))?.[1];
      const [, fn] = all.find(([one]) => one === id || one.startsWith(`${id}`)) ?? [];
      const folder = folderOf(fn as Resource);
      expect(rest, folder).toEqual(eventSources[folder]);
    }
  });
});

function counted(names: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function without(counts: Counts | undefined, name: string): Counts {
  return Object.fromEntries(Object.entries(counts ?? {}).filter(([one]) => one !== name));
}
