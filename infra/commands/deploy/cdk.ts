import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import * as z from "zod";
import { listen } from "../../command-line/clean-up.ts";
import {
  executionPolicyName,
  vaultExecutionPolicyName,
  vaultQualifier,
} from "../../constructs/deployer-policies.ts";
import type { Settings } from "../../environments.ts";
import { installTool } from "../../tools/install-tool.ts";
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
  runCdk(["deploy", name, "--app", synthesize("deployer"), "--require-approval", "never"]);
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
    runCdk([...common, ...words, "--cloudformation-execution-policies", policy(policyName)]);
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

export function deployStack({ assembly, stack, options }: StackDeployment): unknown {
  listen();
  const directory = mkdtempSync(path.join(tmpdir(), "deploy-"));
  try {
    const outputsFile = path.join(directory, "outputs.json");
    runCdk(["deploy", stack, "--app", assembly, "--exclusively", "--outputs-file", outputsFile, ...options]);
    const outputs = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(outputsFile, "utf8")));
    return Object.values(outputs)[0];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Throws on an exit status other than 0. */
function runCdk(words: readonly string[]): void {
  const { status: exitStatus } = spawnSync(
    process.execPath,
    [path.join(installTool("cdk"), "aws-cdk/bin/cdk"), ...words, "--no-notices"],
    { cwd: root, stdio: "inherit", env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: "true" } },
  );
  if (exitStatus !== 0) throw new Error(`cdk ${words[0]} failed. See its output above.`);
}

export function runSmokeTest(connectionFile: string, patienceSeconds: number): void {
  const smokeTest = path.join(root, "test/tools/smoke/main.ts");
  const words = [smokeTest, "--patience", String(patienceSeconds), connectionFile];
  const { status: exitStatus } = spawnSync(process.execPath, words, { stdio: "inherit" });
  if (exitStatus === 0) return;
  throw new Error(
    `The smoke test failed after a complete deployment. To repeat only the test:\n  npm run smoke -- ${connectionFile}`,
  );
}
