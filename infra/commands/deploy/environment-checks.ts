import { promises as dns } from "node:dns";
import { isIP, isIPv4 } from "node:net";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import * as z from "zod";
import { isSharedDomain } from "../../../shared/tenancy/certificates/shared-domain.ts";
import { type EnvironmentName, readSettings, type Settings } from "../../environments.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export function isEmulated({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_CLOUDFORMATION }: Variables): boolean {
  return Boolean(AWS_ENDPOINT_URL_CLOUDFORMATION ?? AWS_ENDPOINT_URL);
}

/**
 * Whether bucket names go into the path, as for an emulator. The CDK tool applies the same rule.
 */
export function hasBucketsInPath({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 }: Variables): boolean {
  return Boolean(AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL);
}

/** Domains that exist nowhere (RFC 2606, RFC 6761), as in the repository's examples. */
const reserved = /(^|\.)(example|invalid|test|localhost)$/;

/** Emulators accept the repository's examples. Throws an Error that names each invalid setting. */
export function deployableSettings(
  name: EnvironmentName,
  { isEmulated, read = readSettings }: { isEmulated: boolean; read?: typeof readSettings },
): Settings {
  const settings = validSettings(name, read);
  const { platformHost, sandboxHost, webhookHost, senderAddress, contactEmail } = settings;
  const hosts = {
    platformHost: platformHost.hostName,
    sandboxHost: sandboxHost?.hostName,
    webhookHost: webhookHost.hostName,
  };
  const examples = Object.entries({ ...hosts, senderAddress, contactEmail }).filter(([, value]) =>
    reserved.test(value ?? ""),
  );
  if (!isEmulated && examples.length > 0) {
    const faults = examples.map(
      ([setting, value]) => `${setting}: ${value} is an example; replace it with your own`,
    );
    throw new Error(settingsFault(name, faults));
  }
  return settings;
}

function validSettings(name: EnvironmentName, read: typeof readSettings): Settings {
  try {
    return read(name);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const faults = error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`);
    throw new Error(settingsFault(name, faults));
  }
}

function settingsFault(name: EnvironmentName, faults: readonly string[]): string {
  const first = `The settings of ${name} cannot be deployed (infra/environments.ts):`;
  return [first, ...faults.map((fault) => `  ${fault}`)].join("\n");
}

/** Throws for missing or invalid credentials, and for another account's. */
export async function checkCredentials({ name, account, region }: Settings): Promise<string> {
  const sts = new STSClient({ region });
  const identity = await sts.send(new GetCallerIdentityCommand({})).catch((error: unknown) => {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const isMissing = name === "CredentialsProviderError";
    const reason = isMissing ? "No AWS credentials were found." : `AWS rejected the credentials: ${message}`;
    throw new Error(`${reason}\n${credentialsAdvice}`, { cause: error });
  });
  if (identity.Account === account) return identity.Arn ?? account;
  throw new Error(
    `The credentials belong to account ${identity.Account} (${identity.Arn}); ${name} requires account ${account} (infra/environments.ts).\n${credentialsAdvice}`,
  );
}

const credentialsAdvice =
  "Provide credentials of the environment's account: AWS_PROFILE with aws sso login, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";

export interface Caller {
  readonly address: string;
  /** The address's confirmed name in DNS, or a parent of it. */
  readonly domain: string;
}

/** The platform's hosts accept IPv4 only. */
const addressService = "https://checkip.amazonaws.com";
const patience = { timeout: 2_000, tries: 2 };

/** By default this machine. The platform requires a DNS name that resolves back to the address. */
export async function findCaller(
  options: Readonly<Record<keyof Caller, string | undefined>>,
): Promise<Caller> {
  const address = options.address ?? (await ownAddress());
  if (isIP(address) === 0) throw new Error(`--caller is "${address}"; it must be an IP address.`);
  const domain = options.domain ?? (await confirmedName(address));
  if (domain === undefined) {
    throw new Error(
      `DNS has no name for ${address} that resolves back to it. The platform rejects callers without one.\n${instead}`,
    );
  }
  if (isSharedDomain(domain)) {
    throw new Error(
      `${domain} is a public suffix or a provider's shared domain. The platform issues certificates only for a caller's own domain.\n${instead}`,
    );
  }
  return { address, domain: domain.toLowerCase() };
}

const instead =
  "Deploy from a host with its own name, name another caller (--caller <address> --caller-domain <domain>), or deploy without one (--no-caller).";

async function ownAddress(): Promise<string> {
  try {
    const response = await fetch(addressService, { signal: AbortSignal.timeout(10_000) });
    return (await response.text()).trim();
  } catch (error) {
    throw new Error(`${addressService} did not return this machine's public address.\n${instead}`, {
      cause: error,
    });
  }
}

async function confirmedName(address: string): Promise<string | undefined> {
  const resolver = new dns.Resolver(patience);
  const none: string[] = [];
  const names = await resolver.reverse(address).catch(() => none);
  for (const name of names) {
    const forward = isIPv4(address) ? resolver.resolve4(name) : resolver.resolve6(name);
    if ((await forward.catch(() => none)).includes(address)) return name.replace(/\.$/, "");
  }
  return undefined;
}
