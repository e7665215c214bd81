import { RemovalPolicy } from "aws-cdk-lib";
import type { z } from "zod";
import { didYouMean } from "./command-line/did-you-mean.ts";
import { UsageError } from "./command-line/options.ts";
import { deployedNames, type EnvironmentName, environmentNames } from "./constructs/environment-names.ts";
import { publishedKeys } from "./constructs/published-keys.ts";
import { Settings, secondSettings } from "./settings.ts";

export { deployedNames, type EnvironmentName, environmentNames, Settings, secondSettings };

const standardLimits = { reads: 50, writes: 10, fundsMoves: 5 };

const declared: Record<EnvironmentName, z.input<typeof Settings>> = {
  local: {
    name: "local",
    account: "000000000000",
    region: "eu-west-1",
    platformHost: {
      hostName: "localhost",
      certificateArn: "arn:aws:acm:eu-west-1:000000000000:certificate/00000000-0000-4000-8000-000000000001",
    },
    sandboxHost: {
      hostName: "sandbox.localhost",
      certificateArn: "arn:aws:acm:eu-west-1:000000000000:certificate/00000000-0000-4000-8000-000000000002",
    },
    webhookHost: {
      hostName: "webhooks.localhost",
      certificateArn: "arn:aws:acm:eu-west-1:000000000000:certificate/00000000-0000-4000-8000-000000000003",
    },
    // What measures this machine's speed is one sender.
    webhookSenders: { perSecond: 5_000 },
    // Two keys, so that a rotation can be tried locally.
    authorityKeys: ["2026", "2027"],
    senderAddress: "notices@local.card-issuing.example",
    contactEmail: "operations@local.card-issuing.example",
    documentationUrl: "https://docs.local.card-issuing.example",
    kycBaseUrl: "https://kyc.local.card-issuing.example",
    custodyKeys: publishedKeys,
    logLevel: "INFO",
    logRetentionDays: 7,
    removalPolicy: RemovalPolicy.DESTROY,
    throttle: { requestsPerSecond: 10_000, burst: 5_000 },
    rateLimits: {
      standard: standardLimits,
      raised: { reads: 200, writes: 40, fundsMoves: 20 },
      highest: { reads: 5_000, writes: 5_000, fundsMoves: 5_000 },
      account: 1_000,
      sandbox: 5_000,
    },
    tableUnits: { reads: 40_000, writes: 40_000 },
    objectLock: "GOVERNANCE",
    queueConcurrency: 10,
  },
  staging: {
    name: "staging",
    account: "111122223333",
    region: "eu-west-1",
    platformHost: {
      hostName: "api.staging.card-issuing.example",
      certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/6f2c1d0e-5f0b-4f43-9d3c-1c7f6f4a2b11",
      hostedZone: { hostedZoneId: "Z0STAGINGEXAMPLE", zoneName: "staging.card-issuing.example" },
    },
    sandboxHost: {
      hostName: "sandbox.staging.card-issuing.example",
      certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/0c1b7a52-7d0e-4a86-8a43-55d7a4e3c8d2",
      hostedZone: { hostedZoneId: "Z0STAGINGEXAMPLE", zoneName: "staging.card-issuing.example" },
    },
    webhookHost: {
      hostName: "webhooks.staging.card-issuing.example",
      certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/3a9e4b61-8c27-4d0f-b5a1-92e6c7f01d34",
      hostedZone: { hostedZoneId: "Z0STAGINGEXAMPLE", zoneName: "staging.card-issuing.example" },
    },
    authorityKeys: ["2026"],
    senderAddress: "notices@staging.card-issuing.example",
    contactEmail: "operations@staging.card-issuing.example",
    documentationUrl: "https://docs.staging.card-issuing.example",
    kycBaseUrl: "https://kyc.staging.card-issuing.example",
    custodyKeys: publishedKeys,
    tracesRuns: true,
    logLevel: "INFO",
    logRetentionDays: 90,
    removalPolicy: RemovalPolicy.DESTROY,
    throttle: { requestsPerSecond: 500, burst: 1_000 },
    rateLimits: {
      standard: standardLimits,
      raised: { reads: 100, writes: 20, fundsMoves: 10 },
      highest: { reads: 150, writes: 50, fundsMoves: 25 },
      account: 20,
      sandbox: 50,
    },
    tableUnits: { reads: 4_000, writes: 2_000 },
    objectLock: "GOVERNANCE",
    queueConcurrency: 10,
    concurrency: {
      authorizer: { reserved: 25 },
      "connection-webhooks": { reserved: 10 },
      "processor-events": { reserved: 50 },
      vault: { reserved: 25 },
    },
    pageEmail: "staging-alarms@card-issuing.example",
    ticketEmail: "staging-alarms@card-issuing.example",
  },
  production: {
    name: "production",
    account: "444455556666",
    region: "eu-west-1",
    platformHost: {
      hostName: "api.card-issuing.example",
      certificateArn: "arn:aws:acm:eu-west-1:444455556666:certificate/b8a0c3de-2f64-4e0c-9a51-7de0f1a6c9e4",
      hostedZone: { hostedZoneId: "Z0PRODUCTIONEXAMPLE", zoneName: "card-issuing.example" },
    },
    webhookHost: {
      hostName: "webhooks.card-issuing.example",
      certificateArn: "arn:aws:acm:eu-west-1:444455556666:certificate/e5d20c98-41b7-4f3e-8c6a-0b9d7f2a5e13",
      hostedZone: { hostedZoneId: "Z0PRODUCTIONEXAMPLE", zoneName: "card-issuing.example" },
    },
    authorityKeys: ["2026"],
    senderAddress: "notices@card-issuing.example",
    contactEmail: "operations@card-issuing.example",
    documentationUrl: "https://docs.card-issuing.example",
    kycBaseUrl: "https://kyc.card-issuing.example",
    logLevel: "INFO",
    logRetentionDays: 400,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    throttle: { requestsPerSecond: 3_000, burst: 5_000 },
    rateLimits: {
      standard: standardLimits,
      raised: { reads: 200, writes: 40, fundsMoves: 20 },
      highest: { reads: 1_000, writes: 200, fundsMoves: 100 },
      account: 20,
    },
    tableUnits: { reads: 20_000, writes: 10_000 },
    objectLock: "COMPLIANCE",
    secondCopy: { account: "777788889999", region: "eu-central-1", vaultName: "card-issuing-production" },
    queueConcurrency: 50,
    concurrency: {
      authorizer: { reserved: 150 },
      "connection-webhooks": { reserved: 50 },
      "processor-events": { reserved: 200, warm: 2 },
      vault: { reserved: 100, warm: 2 },
    },
    pageEmail: "production-pages@card-issuing.example",
    ticketEmail: "production-tickets@card-issuing.example",
  },
};

/** Returns the validated settings of an environment. Throws a ZodError for an invalid one. */
export function readSettings(name: EnvironmentName): Settings {
  return Settings.parse(declared[name]);
}

export function toEnvironmentName(argument: string): EnvironmentName {
  const name = environmentNames.find((candidate) => candidate === argument);
  if (name === undefined)
    throw new UsageError(
      `The environment is "${argument}"; it must be one of ${environmentNames.join(", ")}.${didYouMean(argument, environmentNames)}`,
    );
  return name;
}
