import { RemovalPolicy } from "aws-cdk-lib";
import { z } from "zod";
import { authorityName } from "../shared/contract/authority.ts";
import { rateTiers, requestKinds } from "../shared/contract/rate-limits.ts";
import { Host, isOwnCertificate } from "./constructs/host.ts";
import { publishedKeys } from "./constructs/published-keys.ts";

/** The environments that the platform is deployed to; `local` is this machine. */
export const environmentNames = ["local", "staging", "production"] as const;
export type EnvironmentName = (typeof environmentNames)[number];

const xpub = z.string().startsWith("xpub");

const perSecond = z.int().positive();
/** Requests a second of one Program, kind by kind. */
const Limits = z.strictObject({ reads: perSecond, writes: perSecond, fundsMoves: perSecond });

export const Settings = z
  .strictObject({
    name: z.enum(environmentNames),
    account: z.string().regex(/^\d{12}$/),
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/),
    platformHost: Host,
    /** The separate host of the sandbox API. Without it the environment has no sandbox at all. */
    sandboxHost: Host.optional(),
    /**
     * Whether the S3 version of the client truststore is a parameter of the deployment. On this machine the gateway reads
     * the truststore from a file.
     */
    versionedTruststore: z.boolean(),
    /**
     * Names of the keys of the certificate authorities, which sign clients' certificates. The first becomes the first CA by
     * itself, a further one by a rotation (docs/certificates.md). A key is kept when its name is removed.
     */
    authorityKeys: z
      .array(authorityName)
      .min(1)
      .refine((names) => new Set(names).size === names.length, "must name each key once"),
    /** Whether the addresses of the DNS servers are a parameter of the deployment; else the system's resolver is asked. */
    dnsServersParameter: z.boolean(),
    /** Whether receivers of callbacks that are not public are a parameter of the deployment; else there are none. */
    receiversParameter: z.boolean(),
    /** The address that the platform's own emails come from; SES has verified it or its domain. */
    senderAddress: z.email(),
    /** Where reminders go of the certificates of the platform's own Tenant, the environment's first. */
    contactEmail: z.email(),
    /** Where the API is documented for its callers: deprecated endpoints lead to `/deprecations` below it. */
    documentationUrl: z.url({ protocol: /^https$/ }),
    /** Where the compliance provider hosts its KYC pages; a Cardholder's session is named below it. */
    kycBaseUrl: z.url({ protocol: /^https$/ }),
    /**
     * Extended public keys whose private keys the platform's custodian holds, for Programs without their own. Without them
     * every Program has to bring its own.
     */
    custodyKeys: z.strictObject({ bitcoin: xpub, ethereum: xpub, tron: xpub }).optional(),
    logLevel: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
    logRetentionDays: z.literal([7, 30, 90, 365, 400]),
    /** Logs, their key, and queues with what is in them: kept or removed with their stack. Data is always kept. */
    removalPolicy: z.literal([RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, RemovalPolicy.DESTROY]),
    /** Requests to one API: steady a second, and the burst above it. The per-Program limits stand in front of these. */
    throttle: z.strictObject({ requestsPerSecond: z.int().positive(), burst: z.int().positive() }),
    /**
     * Requests a second of one Program in each tier and, of each kind, in the sandbox; and of one Tenant for its account. A
     * Program begins as `standard`.
     */
    rateLimits: z.strictObject({
      standard: Limits,
      raised: Limits,
      highest: Limits,
      account: perSecond,
      sandbox: perSecond.optional(),
    }),
    /** The second that the tables were last restored to: the environment uses the restored ones (docs/restore.md). */
    restoredTo: z.iso.datetime({ precision: 0 }).optional(),
    /** Messages of one work queue handled at once. */
    queueConcurrency: z.int().min(2).max(1000),
    /**
     * Concurrent runs reserved for `processor-events`. All reservations together must leave the account at least 100. Without
     * one, the function competes with all others.
     */
    processorConcurrency: z.int().min(2).max(900).optional(),
    /** Who gets an email when an alarm goes off. */
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
    versionedTruststore: false,
    // Two, so that a rotation can be tried here.
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

/** The settings of an environment, checked. A wrong one fails the synthesis and says which. */
export function settingsOf(name: EnvironmentName): Settings {
  return Settings.parse(declared[name]);
}

/** The environment that a command line names. */
export function toEnvironmentName(argument: string): EnvironmentName {
  const name = environmentNames.find((candidate) => candidate === argument);
  if (name === undefined)
    throw new Error(`The environment is "${argument}"; it must be one of ${environmentNames.join(", ")}.`);
  return name;
}
