import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ResourceNotFoundException,
} from "@aws-sdk/client-lambda";
import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  SESv2Client,
} from "@aws-sdk/client-sesv2";
import * as z from "zod";
import type { Settings } from "../../environments.ts";
import { unlessMissing } from "../unless-missing.ts";
import type { AssembledStack } from "./stacks.ts";

/** AWS requires this much unreserved concurrency. */
const unreservedMinimum = 100;
/** Lambda's quota "Concurrent executions". */
const concurrencyQuota = "L-B99A9384";

type QuotaSettings = Pick<Settings, "name" | "region" | "senderAddress" | "documentationUrl">;

interface QuotaCheck {
  readonly settings: QuotaSettings;
  readonly stacks: Iterable<AssembledStack>;
  readonly isIgnored: boolean;
}

interface Shortfall {
  readonly text: string;
  /** Whether the deployment itself would fail, not only the service suffer. */
  readonly isFatal?: boolean;
}

/** Throws an Error with what to request. Outside production only for fatal shortfalls. */
export async function checkQuotas({ settings, stacks, isIgnored }: QuotaCheck): Promise<string> {
  const shortfalls = [
    ...(await concurrencyShortfalls(settings, concurrencyNeeded(stacks))),
    ...(await emailShortfalls(settings)),
  ];
  if (shortfalls.length === 0) return "enough";
  const isStopped =
    !isIgnored && shortfalls.some(({ isFatal = false }) => isFatal || settings.name === "production");
  const listed = shortfalls.map(({ text }) => `  ${text}`).join("\n");
  if (!isStopped) return `too low; the deployment continues\n${listed}`;
  throw new Error(
    `The account's quotas are too low for ${settings.name}. Nothing was deployed.\n${listed}\nTo deploy anyway: --ignore-quotas`,
  );
}

/** The minimum for the deployment, and the need with all work queues busy. */
interface Concurrency {
  readonly minimum: number;
  readonly busy: number;
  readonly functions: readonly string[];
}

const Templates = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() })).default({}),
});
const FunctionProperties = z.object({
  FunctionName: z.string().optional(),
  ReservedConcurrentExecutions: z.int().default(0),
});
const Scaled = z.object({
  FunctionName: z.unknown(),
  ScalingConfig: z.object({ MaximumConcurrency: z.int() }),
});
const Reserving = z.object({ ReservedConcurrentExecutions: z.int().positive() });
type TemplateResource = z.output<typeof Templates>["Resources"][string];

function concurrencyNeeded(stacks: Iterable<AssembledStack>): Concurrency {
  const resources = new Map(
    [...stacks].flatMap(({ template }) => Object.entries(Templates.parse(template).Resources)),
  );
  let minimum = unreservedMinimum;
  let scaled = 0;
  const functions: string[] = [];
  for (const { Type, Properties } of resources.values()) {
    if (Type === "AWS::Lambda::Function") {
      const { FunctionName, ReservedConcurrentExecutions } = FunctionProperties.parse(Properties);
      minimum += ReservedConcurrentExecutions;
      if (FunctionName !== undefined) functions.push(FunctionName);
    }
    if (Type === "AWS::Lambda::EventSourceMapping") scaled += countUnreserved(Properties, resources);
  }
  return { minimum, busy: minimum + scaled, functions };
}

/** What a queue takes of a function with concurrency of its own is counted there. */
function countUnreserved(mapping: unknown, resources: ReadonlyMap<string, TemplateResource>): number {
  const { success, data } = Scaled.safeParse(mapping);
  if (!success) return 0;
  const references = (value: unknown) =>
    [...(JSON.stringify(value) ?? "").matchAll(/"Ref":"(\w+)"/g)].map(([, id = ""]) => id);
  // An alias names its function.
  const invoked = references(data.FunctionName).flatMap((id) => [
    id,
    ...references(resources.get(id)?.Properties),
  ]);
  const isReserved = invoked.some((id) => Reserving.safeParse(resources.get(id)?.Properties).success);
  return isReserved ? 0 : data.ScalingConfig.MaximumConcurrency;
}

async function concurrencyShortfalls({ region }: QuotaSettings, needed: Concurrency): Promise<Shortfall[]> {
  const lambda = new LambdaClient({ region });
  try {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    const allowed = AccountLimit?.ConcurrentExecutions ?? 0;
    const reserved = allowed - (AccountLimit?.UnreservedConcurrentExecutions ?? allowed);
    const ofOthers = reserved && reserved - (await reservedBy(lambda, needed.functions));
    const [minimum, busy] = [needed.minimum + ofOthers, needed.busy + ofOthers];
    if (allowed >= busy) return [];
    const request = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code ${concurrencyQuota} --desired-value ${busy} --region ${region}`;
    const text = `Lambda allows ${allowed} concurrent executions; the environment needs ${busy} (at least ${minimum} to deploy). Both include ${ofOthers} that other applications reserved. Request the quota "Concurrent executions":\n    ${request}`;
    return [{ text, isFatal: allowed < minimum }];
  } catch (error) {
    return [
      unreadable("Lambda's quotas", "lambda:GetAccountSettings and lambda:GetFunctionConcurrency", error),
    ];
  }
}

async function reservedBy(lambda: LambdaClient, functions: readonly string[]): Promise<number> {
  const reserved = functions.map(async (FunctionName) => {
    const asked = lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }));
    return (await unlessMissing(asked, ResourceNotFoundException))?.ReservedConcurrentExecutions ?? 0;
  });
  return (await Promise.all(reserved)).reduce((sum, count) => sum + count, 0);
}

async function emailShortfalls(settings: QuotaSettings): Promise<Shortfall[]> {
  const { region, senderAddress, documentationUrl } = settings;
  const ses = new SESv2Client({ region });
  const shortfalls: Shortfall[] = [];
  try {
    const { ProductionAccessEnabled = false } = await ses.send(new GetAccountCommand({}));
    if (!ProductionAccessEnabled) {
      const request = `aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url ${documentationUrl} --region ${region}`;
      shortfalls.push({
        text: `SES sends only to verified addresses (sandbox), so customers get no reminders. Request production access:\n    ${request}`,
      });
    }
    const domain = senderAddress.slice(senderAddress.indexOf("@") + 1);
    const isVerified =
      (await isVerifiedIdentity(ses, domain)) || (await isVerifiedIdentity(ses, senderAddress));
    if (!isVerified) {
      const request = `aws sesv2 create-email-identity --email-identity ${domain} --region ${region}`;
      shortfalls.push({ text: `SES has not verified ${domain}, the sender's domain:\n    ${request}` });
    }
  } catch (error) {
    shortfalls.push(unreadable("SES", "ses:GetAccount and ses:GetEmailIdentity", error));
  }
  return shortfalls;
}

async function isVerifiedIdentity(ses: SESv2Client, EmailIdentity: string): Promise<boolean> {
  const asked = ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
  return (await unlessMissing(asked, NotFoundException))?.VerifiedForSendingStatus ?? false;
}

function unreadable(what: string, right: string, error: unknown): Shortfall {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { text: `${what} could not be read, which needs the right ${right}: ${reason}` };
}
