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
      ? `${target} is not prepared for the CDK`
      : `${target} is prepared for an older CDK (version ${found}, and ${version} is needed)`;
  throw new Error(
    `${lack}. That is done once for an account and region, with rights of an administrator:\n  npm run deploy -- ${name} --bootstrap\nor, without deploying:\n  npx cdk bootstrap ${target}`,
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
