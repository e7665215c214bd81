import { RemovalPolicy } from "aws-cdk-lib";
import { z } from "zod";
import { authorityName } from "../shared/contract/authority.ts";
import { hasIndex, PaymentCryptographyKeys } from "../shared/contract/payment-cryptography.ts";
import { rateTiers, requestKinds } from "../shared/contract/rate-limits.ts";
import { WalletTrust } from "../shared/contract/wallet-trust.ts";
import { Concurrency } from "./constructs/concurrency.ts";
import { environmentNames } from "./constructs/environment-names.ts";
import { Host } from "./constructs/host.ts";
import { ListenerSettings } from "./constructs/listener/listener-settings.ts";
import { publishedKeys } from "./constructs/published-keys.ts";
import { Region, SecondRegion } from "./constructs/second-region-settings.ts";

const Account = z.string().regex(/^\d{12}$/);
const xpub = z.string().startsWith("xpub");

const perSecond = z.int().positive();

/** What a new on-demand table takes at once. */
const newTable = { reads: 12_000, writes: 4_000 };
const TableUnits = z
  .strictObject({
    reads: perSecond,
    writes: perSecond,
    warm: z
      .strictObject({ reads: z.int().min(newTable.reads), writes: z.int().min(newTable.writes) })
      .optional(),
    isInfrequent: z.boolean().default(false),
  })
  .refine(({ reads, writes, warm }) => warm === undefined || (warm.reads <= reads && warm.writes <= writes), {
    error: "A table cannot be warm for more than its maximum.",
    path: ["warm"],
  });
/** Requests per second of one Program. */
const Limits = z.strictObject({ reads: perSecond, writes: perSecond, fundsMoves: perSecond });

/** In periods of five minutes, of which CloudWatch looks at those of a day at most. */
const silentMinutes = z.int().min(5).max(1440).multipleOf(5);

export const Settings = z
  .strictObject({
    name: z.enum(environmentNames),
    account: Account,
    region: Region,
    /** Has a copy of the tables and keys (docs/second-region.md). Without it, there is none. */
    secondRegion: SecondRegion.optional(),
    platformHost: Host,
    /** Host of the sandbox API. Without it, the environment has no sandbox. */
    sandboxHost: Host.optional(),
    /** Host of the webhooks of connected parties: without mutual TLS. */
    webhookHost: Host,
    /**
     * Who may send webhooks, without a certificate: so many a second from one address, and only
     * from these ranges, if any are given. Name those of every connected party, or none.
     */
    webhookSenders: z
      .strictObject({ perSecond: perSecond.min(1), ranges: z.array(z.cidrv4()).min(1).optional() })
      .default({ perSecond: 100 }),
    /** Without it, no card network sends messages to the environment: others send events. */
    listener: ListenerSettings.optional(),
    /**
     * Names of the certificate authorities' keys. The first becomes the first CA, a rotation adds
     * others (docs/certificates.md). Removing a name keeps the key.
     */
    authorityKeys: z
      .array(authorityName)
      .min(1)
      .refine((names) => new Set(names).size === names.length, "must name each key once"),
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
    /**
     * Keys of AWS Payment Cryptography, which card codes and PINs need for a real network. Without
     * them, the vault draws keys of its own, which KMS wraps.
     */
    paymentCryptography: PaymentCryptographyKeys.optional(),
    /**
     * The keys for new card numbers and PINs. Raise it to rotate them: Cards keep the codes of the
     * index that they have.
     */
    cardKeyIndex: z.int().min(1).max(6).default(1),
    /**
     * By what phones' wallets are known, to which Cards are pushed. A sandbox has a wallet of its
     * own.
     */
    wallets: WalletTrust.optional(),
    logLevel: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
    /**
     * Whether Lambda traces the first run of each second and a twentieth of the others, instead of
     * those alone that a caller asks to trace.
     */
    tracesRuns: z.boolean().default(false),
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
    /**
     * Units per second that one table, or one index of it, may take: more are refused, so that a
     * loop costs no fortune. `warm` is what a table takes at once, for a launch; billed once. Of
     * the class `isInfrequent`, storage costs less and each unit more (docs/costs.md).
     */
    tableUnits: TableUnits,
    /**
     * Who can shorten the lock of evidence and of closed months before it ends: nobody, or who has
     * the right to (`GOVERNANCE`), so that an environment for tests can be deleted.
     */
    objectLock: z.literal(["COMPLIANCE", "GOVERNANCE"]),
    /**
     * A locked vault of AWS Backup, of another account and in another region, which gets copies of
     * tables and buckets (docs/second-copy.md). Without it, there is no second copy of the books.
     */
    secondCopy: z
      .strictObject({
        account: Account,
        region: Region,
        vaultName: z.string().regex(/^[a-zA-Z0-9_-]{2,50}$/),
      })
      .optional(),
    /** Time of the last restore, whose tables the environment uses (docs/restore.md). */
    restoredTo: z.iso.datetime({ precision: 0 }).optional(),
    /** Maximum number of messages that one work queue handles at once. */
    queueConcurrency: z.int().min(2).max(1000),
    /**
     * Without an entry, a function shares the account's concurrency, of which all reservations must
     * leave at least 100.
     */
    concurrency: Concurrency.default({}),
    /**
     * After how many minutes without any request, or any authorization, somebody is woken. Only for
     * what never pauses so long, not even at night. Without them, silence is no alarm.
     */
    silence: z.strictObject({ requests: silentMinutes, authorizations: silentMinutes }).partial().optional(),
    /** Receives an email for every alarm that cannot wait. A pager subscribes to the topic. */
    pageEmail: z.email().optional(),
    /** Receives an email for every alarm that can wait until somebody is at work. */
    ticketEmail: z.email().optional(),
  })
  .refine(({ region, secondRegion }) => secondRegion?.region !== region, {
    error: "The second region is another one.",
    path: ["secondRegion", "region"],
  })
  .refine(({ region, secondRegion }) => secondRegion === undefined || region !== "us-east-1", {
    error: "IAM is changed in us-east-1 alone: if it is lost, nothing could say that another region writes.",
    path: ["secondRegion"],
  })
  .refine(
    ({ secondRegion: { serves } = {}, sandboxHost, paymentCryptography }) =>
      serves === undefined ||
      ((serves.sandboxCertificateArn === undefined) === (sandboxHost === undefined) &&
        (serves.paymentCryptography === undefined) === (paymentCryptography === undefined)),
    {
      error: "What serves in the second region has what the first has: sandbox and Payment Cryptography.",
      path: ["secondRegion", "serves"],
    },
  )
  .refine(({ sandboxHost, wallets }) => sandboxHost === undefined || wallets === undefined, {
    error: "A sandbox gives its Cards to its own wallet alone.",
    path: ["wallets"],
  })
  .refine((settings) => settings.name !== "production" || settings.sandboxHost === undefined, {
    error: "Production has no sandbox.",
    path: ["sandboxHost"],
  })
  .refine(
    (settings) => settings.name !== "production" || settings.custodyKeys?.bitcoin !== publishedKeys.bitcoin,
    { error: "The private keys of these are published.", path: ["custodyKeys"] },
  )
  .refine(
    ({ paymentCryptography, cardKeyIndex }) =>
      paymentCryptography === undefined || hasIndex(paymentCryptography, cardKeyIndex),
    { error: "Payment Cryptography has no keys of this index.", path: ["cardKeyIndex"] },
  )
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
    ({ concurrency, queueConcurrency }) =>
      (concurrency["processor-events"]?.reserved ?? queueConcurrency) >= queueConcurrency,
    { error: "The queue alone may start as many runs as queueConcurrency.", path: ["concurrency"] },
  )
  .refine(
    ({ secondCopy, account, region }) =>
      secondCopy === undefined || (secondCopy.account !== account && secondCopy.region !== region),
    { error: "A second copy is of another account, in another region.", path: ["secondCopy"] },
  )
  .refine(
    ({ account, region, platformHost, webhookHost, sandboxHost = platformHost }) =>
      [platformHost, webhookHost, sandboxHost].every(({ certificateArn }) =>
        // API Gateway accepts no others.
        certificateArn.startsWith(`arn:aws:acm:${region}:${account}:`),
      ),
    {
      error: "A server certificate is of the environment's own account and region.",
      path: ["certificateArn"],
    },
  );
export type Settings = z.output<typeof Settings>;

/** The stacks of the second region, if it serves, read nothing of the first. */
export function secondSettings(settings: Settings): Settings | undefined {
  const { secondRegion, platformHost, sandboxHost, webhookHost } = settings;
  if (secondRegion?.serves === undefined) return undefined;
  const { serves, region } = secondRegion;
  // Without its zone: a record that the first region's stack made is nobody else's to change.
  const host = ({ hostName }: Host, certificateArn = "") => ({ hostName, certificateArn });
  return {
    ...settings,
    region,
    platformHost: host(platformHost, serves.platformCertificateArn),
    sandboxHost: sandboxHost && host(sandboxHost, serves.sandboxCertificateArn),
    webhookHost: host(webhookHost, serves.webhookCertificateArn),
    paymentCryptography: serves.paymentCryptography,
    listener: serves.listener,
    secondCopy: undefined,
  };
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => number >= (numbers[index - 1] ?? 0));
}
