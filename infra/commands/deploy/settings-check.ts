import * as z from "zod";
import { type EnvironmentName, type Settings, settingsOf } from "../../environments.ts";

/** Names that exist nowhere (RFC 2606, RFC 6761): the repository's examples are of them. */
const reserved = /(^|\.)(example|invalid|test|localhost)$/;

export interface SettingsCheck {
  readonly isEmulated: boolean;
  readonly read?: typeof settingsOf;
}

/**
 * The settings of an environment that can be deployed. An emulator of AWS takes the repository's examples as they are.
 *
 * @throws Error naming each setting that is wrong, and the file that it stands in
 */
export function deployableSettings(
  name: EnvironmentName,
  { isEmulated, read = settingsOf }: SettingsCheck,
): Settings {
  if (name === "local") throw new Error("The local environment is this machine: npm start.");
  const settings = validSettings(name, read);
  const { platformHost, sandboxHost, senderAddress, contactEmail } = settings;
  const names = {
    platformHost: platformHost.hostName,
    sandboxHost: sandboxHost?.hostName,
    senderAddress,
    contactEmail,
  };
  const examples = Object.entries(names).filter(([, value]) => reserved.test(value ?? ""));
  if (!isEmulated && examples.length > 0) {
    const faults = examples.map(([setting, value]) => `${setting}: ${value} is an example, put in your own`);
    throw new Error(sentence(name, faults));
  }
  return settings;
}

function validSettings(name: EnvironmentName, read: typeof settingsOf): Settings {
  try {
    return read(name);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(
      sentence(
        name,
        error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`),
      ),
    );
  }
}

function sentence(name: EnvironmentName, faults: readonly string[]): string {
  return [
    `The settings of ${name} cannot be deployed (infra/environments.ts):`,
    ...faults.map((fault) => `  ${fault}`),
  ].join("\n");
}
