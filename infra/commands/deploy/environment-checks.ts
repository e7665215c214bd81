import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import * as z from "zod";
import { type EnvironmentName, type Settings, settingsOf } from "../../environments.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Whether the SDK's variables point to an emulator of AWS. */
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

export interface SettingsCheck {
  readonly isEmulated: boolean;
  readonly read?: typeof settingsOf;
}

/**
 * Returns the environment's settings if they can be deployed. Emulators accept the repository's
 * examples. Throws an Error that names the file and each invalid setting.
 */
export function deployableSettings(
  name: EnvironmentName,
  { isEmulated, read = settingsOf }: SettingsCheck,
): Settings {
  if (name === "local")
    throw new Error("The environment local is never deployed. Start it on this machine: npm start.");
  const settings = validSettings(name, read);
  const { platformHost, sandboxHost, senderAddress, contactEmail } = settings;
  const hosts = { platformHost: platformHost.hostName, sandboxHost: sandboxHost?.hostName };
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

function validSettings(name: EnvironmentName, read: typeof settingsOf): Settings {
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

/**
 * Returns the caller's ARN. Throws for missing or invalid credentials, and for another account's.
 */
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
