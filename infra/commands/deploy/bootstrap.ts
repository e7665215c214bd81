import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import type { Settings } from "../../environments.ts";
import type { AssembledStack } from "./assembly.ts";
import { runCdk } from "./cdk-command.ts";

export interface BootstrapCheck {
  readonly settings: Pick<Settings, "name" | "account" | "region">;
  readonly stacks: Iterable<AssembledStack>;
  /** Whether to bootstrap a missing or outdated environment; otherwise it is an error. */
  readonly mayBootstrap: boolean;
}

/**
 * Checks that the account and region have the CDK bootstrap these stacks need, or bootstraps them.
 * Returns what it found or did. Throws an Error that names the bootstrap command.
 */
export async function ensureBootstrapped(check: BootstrapCheck): Promise<string> {
  const { settings, stacks, mayBootstrap } = check;
  const { name, account, region } = settings;
  const needed = [...stacks].flatMap(({ bootstrap }) => bootstrap ?? []);
  const version = Math.max(0, ...needed.map((one) => one.version));
  const parameter = needed[0]?.parameter;
  if (parameter === undefined) return "not needed";
  const found = await bootstrapVersion(region, parameter);
  if (found !== undefined && found >= version) return `already there, version ${found}`;
  const target = `aws://${account}/${region}`;
  if (mayBootstrap) {
    // `--app ""`: the app would list all its environments.
    runCdk(["bootstrap", target, "--app", "", "--tags", "application=card-issuing"]);
    return `done for ${target}`;
  }
  const lack =
    found === undefined
      ? `${target} is not bootstrapped for the CDK`
      : `${target} is bootstrapped for an older CDK (version ${found}; required: ${version})`;
  throw new Error(
    `${lack}. Bootstrap the account and region once, as an administrator:\n  npm run deploy -- ${name} --bootstrap\nor without a deployment:\n  npx cdk bootstrap ${target}`,
  );
}

async function bootstrapVersion(region: string, Name: string): Promise<number | undefined> {
  const ssm = new SSMClient({ region });
  const answer = await ssm.send(new GetParameterCommand({ Name })).catch((error: unknown) => {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  });
  return answer && Number(answer.Parameter?.Value);
}
