import { RemovalPolicy } from "aws-cdk-lib";
import { z } from "zod";
import { authorityName } from "../shared/contract/authority.ts";
import { rateTiers, requestKinds } from "../shared/contract/rate-limits.ts";
import { UsageError } from "./command-line/options.ts";
import { Host, isOwnCertificate } from "./constructs/host.ts";
import { publishedKeys } from "./constructs/published-keys.ts";

/** The environments that can be deployed. `local` is this machine. */
export const environmentNames = ["local", "staging", "production"] as const;
export type EnvironmentName = (typeof environmentNames)[number];

const xpub = z.string().startsWith("xpub");

const perSecond = z.int().positive();
/** Requests per second of one Program. */
const Limits = z.strictObject({ reads: perSecond, writes: perSecond, fundsMoves: perSecond });

export const Settings = z
  .strictObject({
    name: z.enum(environmentNames),
    account: z.string().regex(/^\d{12}$/),
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/),
    platformHost: Host,
    /** Host of the sandbox API. Without it, the environment has no sandbox. */
    sandboxHost: Host.optional(),
    /** Host of the webhooks of connected parties: without mutual TLS. */
    webhookHost: Host,
    /** Whether the truststore's S3 version is a deployment parameter. Local runs read a file. */
    versionedTruststore: z.boolean(),
    /**
     * Names of the certificate authorities' keys. The first becomes the first CA, a rotation adds
     * others (docs/certificates.md). Removing a name keeps the key.
     */
    authorityKeys: z
      .array(authorityName)
      .min(1)
      .refine((names) => new Set(names).size === names.length, "must name each key once"),
    /** Whether DNS servers are a deployment parameter. The default is the system's resolver. */
    dnsServersParameter: z.boolean(),
    /** Whether a deployment parameter may allow webhook receivers that are not public. */
    receiversParameter: z.boolean(),
    /** Sender of the platform's own emails. SES must have verified the address or its domain. */
    senderAddress: z.email(),
    /** Receives certificate reminders for the environment's first Tenant. */
    contactEmail: z.email(),
    /** Base URL of the API documentation. Deprecated endpoints link to `/deprecations` below it. */
    documentationUrl: z.url({ protocol: /^https$/ }),
    /** Base URL of the compliance provider's KYC pages. */
    kycBaseUrl: z.url({ protocol: /^https$/ }),
    /**
     * Extended public keys for Programs without their own; the custodian holds the private keys.
     * Without them, every Program must provide its own.
     */
    custodyKeys: z.strictObject({ bitcoin: xpub, ethereum: xpub, tron: xpub }).optional(),
    logLevel: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
    logRetentionDays: z.literal([7, 30, 90, 365, 400]),
    /**
     * What happens to logs, their key and queues when their stack is deleted. Data is always kept.
     */
    removalPolicy: z.literal([RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, RemovalPolicy.DESTROY]),
    /** Limits of one whole API. The limits per Program apply first. */
    throttle: z.strictObject({ requestsPerSecond: z.int().positive(), burst: z.int().positive() }),
    /**
     * Requests per second: of a Program in each tier, of a Program in the sandbox, and of a Tenant
     * on its account. New Programs are `standard`.
     */
    rateLimits: z.strictObject({
      standard: Limits,
      raised: Limits,
      highest: Limits,
      account: perSecond,
      sandbox: perSecond.optional(),
    }),
    /** Time of the last restore, whose tables the environment uses (docs/restore.md). */
    restoredTo: z.iso.datetime({ precision: 0 }).optional(),
    /** Maximum number of messages that one work queue handles at once. */
    queueConcurrency: z.int().min(2).max(1000),
    /**
     * Reserved concurrency of `processor-events`. All reservations together must leave the account
     * at least 100. Without it, the function shares the account's concurrency.
     */
    processorConcurrency: z.int().min(2).max(900).optional(),
    /** Receives an email for every alarm. */
    alarmEmail: z.email().optional(),
  })
  .refine((settings) => settings.name !== "production" || settings.sandboxHost === undefined, {
    error: "Production has no sandbox.",
    path: ["sandboxHost"],
  })
  .refine(
    (settings) => settings.name !== "production" || settings.custodyKeys?.bitcoin !== publishedKeys.bitcoin,
    { error: "The private keys of these are published.", path: ["custodyKeys"] },
  )
  .refine((settings) => settings.name === "local" || !settings.receiversParameter, {
    error: "Callbacks go to public receivers, except on this machine.",
    path: ["receiversParameter"],
  })
  .refine(
    ({ rateLimits }) =>
      requestKinds.every((kind) => isAscending(rateTiers.map((tier) => rateLimits[tier][kind]))),
    { error: "A higher tier allows no less.", path: ["rateLimits"] },
  )
  .refine(
    ({ rateLimits, sandboxHost }) => (rateLimits.sandbox === undefined) === (sandboxHost === undefined),
    { error: "A sandbox has its limit, and without one there is none.", path: ["rateLimits", "sandbox"] },
  )
  .refine(
    ({ processorConcurrency, queueConcurrency }) =>
      processorConcurrency === undefined || processorConcurrency >= queueConcurrency,
    { error: "The queue alone may start as many runs as queueConcurrency.", path: ["processorConcurrency"] },
  )
  .refine(isOwnCertificate, {
    error: "A server certificate is of the environment's own account and region.",
    path: ["certificateArn"],
  })
  .refine((settings) => settings.name === "local" || settings.versionedTruststore, {
    error: "Only the local target reads its truststore from a file.",
    path: ["versionedTruststore"],
  });
export type Settings = z.output<typeof Settings>;

const standardLimits = { reads: 50, writes: 10, fundsMoves: 5 };

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => number >= (numbers[index - 1] ?? 0));
}

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
    versionedTruststore: false,
    // Two keys, so that a rotation can be tried locally.
    authorityKeys: ["2026", "2027"],
    dnsServersParameter: true,
    receiversParameter: true,
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
    versionedTruststore: true,
    authorityKeys: ["2026"],
    dnsServersParameter: false,
    receiversParameter: false,
    senderAddress: "notices@staging.card-issuing.example",
    contactEmail: "operations@staging.card-issuing.example",
    documentationUrl: "https://docs.staging.card-issuing.example",
    kycBaseUrl: "https://kyc.staging.card-issuing.example",
    custodyKeys: publishedKeys,
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
    queueConcurrency: 10,
    processorConcurrency: 50,
    alarmEmail: "staging-alarms@card-issuing.example",
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
    versionedTruststore: true,
    authorityKeys: ["2026"],
    dnsServersParameter: false,
    receiversParameter: false,
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
    queueConcurrency: 50,
    processorConcurrency: 200,
    alarmEmail: "production-alarms@card-issuing.example",
  },
};

/** Returns the validated settings of an environment. Throws a ZodError for an invalid one. */
export function settingsOf(name: EnvironmentName): Settings {
  return Settings.parse(declared[name]);
}

export function toEnvironmentName(argument: string): EnvironmentName {
  const name = environmentNames.find((candidate) => candidate === argument);
  if (name === undefined)
    throw new UsageError(
      `The environment is "${argument}"; it must be one of ${environmentNames.join(", ")}.`,
    );
  return name;
}
