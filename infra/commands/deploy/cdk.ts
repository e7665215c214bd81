import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import * as z from "zod";
import { cleanUp, interrupted, orSay } from "../../command-line/clean-up.ts";
import { runProgram } from "../../command-line/run-program.ts";
import {
  executionPolicyName,
  vaultExecutionPolicyName,
  vaultQualifier,
} from "../../constructs/deployer-policies.ts";
import type { Settings } from "../../environments.ts";
import { installToolAsync } from "../../tools/install-tool.ts";
import { unlessMissing } from "../unless-missing.ts";
import type { AssembledStack } from "./stacks.ts";

interface BootstrapCheck {
  readonly settings: Pick<Settings, "name" | "account" | "region">;
  readonly stacks: Iterable<AssembledStack>;
  readonly mayBootstrap: boolean;
}

/**
 * Checks or bootstraps the account and region: once for all stacks, once for the vault's, which a
 * role of its own deploys. Returns what it found or did.
 */
export async function ensureBootstrapped(check: BootstrapCheck): Promise<string> {
  const { settings, stacks, mayBootstrap } = check;
  const { name, account, region } = settings;
  const needed = new Map<string, number>();
  for (const { bootstrap } of stacks)
    if (bootstrap)
      needed.set(bootstrap.parameter, Math.max(bootstrap.version, needed.get(bootstrap.parameter) ?? 0));
  if (needed.size === 0) return "not needed";
  const found = new Map<string, number | undefined>();
  for (const parameter of needed.keys()) found.set(parameter, await bootstrapVersion(region, parameter));
  const lacking = [...needed].filter(([parameter, version]) => (found.get(parameter) ?? 0) < version);
  const [[lacked = "", required = 0] = []] = lacking;
  if (lacking.length === 0) return `already there, version ${Math.min(...needed.values())}`;
  const target = `aws://${account}/${region}`;
  if (mayBootstrap) {
    await bootstrap(name, target, account);
    return `done for ${target}`;
  }
  const version = found.get(lacked);
  const ofVault = lacked === versionParameter(vaultQualifier) ? ", for the vault's stack" : "";
  const lack =
    version === undefined
      ? `${target} is not bootstrapped for the CDK${ofVault}`
      : `${target} is bootstrapped for an older CDK (version ${version}; required: ${required})${ofVault}`;
  throw new Error(
    `${lack}. Bootstrap the account and region once, as an administrator:\n  npm run deploy -- ${name} --bootstrap`,
  );
}

const versionParameter = (qualifier: string) => `/cdk-bootstrap/${qualifier}/version`;

/** First what CloudFormation's roles may do: without it, the CDK makes them administrators. */
async function bootstrap(name: string, target: string, account: string): Promise<void> {
  const { synthesize } = await import("../../app.ts");
  await runCdk(["deploy", name, "--app", synthesize("deployer"), "--require-approval", "never"]);
  const policy = (policyName: string) => `arn:aws:iam::${account}:policy/${policyName}`;
  const each = [
    { policyName: executionPolicyName, words: [] },
    {
      policyName: vaultExecutionPolicyName,
      words: ["--qualifier", vaultQualifier, "--toolkit-stack-name", "CDKToolkit-vault"],
    },
  ];
  for (const { policyName, words } of each) {
    // `--app ""`: the app would list all its environments.
    const common = ["bootstrap", target, "--app", "", "--tags", "application=card-issuing"];
    await runCdk([...common, ...words, "--cloudformation-execution-policies", policy(policyName)]);
  }
}

async function bootstrapVersion(region: string, Name: string): Promise<number | undefined> {
  const ssm = new SSMClient({ region });
  const answer = await unlessMissing(ssm.send(new GetParameterCommand({ Name })), ParameterNotFound);
  return answer && Number(answer.Parameter?.Value);
}

const root = path.resolve(import.meta.dirname, "../../..");

interface StackDeployment {
  readonly assembly: string;
  readonly stack: string;
  readonly options: readonly string[];
}

export async function deployStack({ assembly, stack, options }: StackDeployment): Promise<unknown> {
  await using ending = cleanUp();
  const directory = mkdtempSync(path.join(tmpdir(), "deploy-"));
  ending.defer(() => rmSync(directory, { recursive: true }));
  const outputsFile = path.join(directory, "outputs.json");
  const files = ["--app", assembly, "--exclusively", "--outputs-file", outputsFile];
  await runCdk(["deploy", stack, ...files, ...options]);
  const outputs = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(outputsFile, "utf8")));
  return Object.values(outputs)[0];
}

/** Throws on an exit status other than 0. */
async function runCdk(words: readonly string[]): Promise<void> {
  const cdk = path.join(await installToolAsync("cdk", interrupted), "aws-cdk/bin/cdk");
  const env = { ...process.env, CDK_DISABLE_CLI_TELEMETRY: "true" };
  const { exitStatus } = await runProgram(process.execPath, [cdk, ...words, "--no-notices"], {
    cwd: root,
    env,
  });
  if (exitStatus !== 0) throw new Error(`cdk ${words[0]} failed. See its output above.`);
}

export function runSmokeTest(connectionFile: string, patienceSeconds: number): Promise<void> {
  const smokeTest = path.join(root, "test/tools/smoke/main.ts");
  const words = [smokeTest, "--patience", String(patienceSeconds), connectionFile];
  const again = `The deployment is complete. To repeat only the test:\n  npm run smoke -- ${connectionFile}`;
  return orSay(
    () => again,
    async () => {
      const { exitStatus } = await runProgram(process.execPath, words);
      if (exitStatus !== 0) throw new Error("The smoke test failed.");
    },
  );
}
