import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import * as z from "zod";
import type { Settings } from "../../environments.ts";
import { installTool } from "../../tools/install-tool.ts";
import type { AssembledStack } from "./stacks.ts";

interface BootstrapCheck {
  readonly settings: Pick<Settings, "name" | "account" | "region">;
  readonly stacks: Iterable<AssembledStack>;
  readonly mayBootstrap: boolean;
}

/** Checks or bootstraps the account and region. Returns what it found or did. */
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
    `${lack}. Bootstrap the account and region once, as an administrator:\n  npm run deploy -- ${name} --bootstrap\nor without a deployment:\n  npm run cdk -- bootstrap ${target}`,
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

const root = path.resolve(import.meta.dirname, "../../..");

interface StackDeployment {
  readonly assembly: string;
  readonly stack: string;
  readonly options: readonly string[];
}

export function deployStack({ assembly, stack, options }: StackDeployment): unknown {
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
  const smokeTest = path.join(root, "test/smoke/main.ts");
  const words = [smokeTest, "--patience", String(patienceSeconds), connectionFile];
  const { status: exitStatus } = spawnSync(process.execPath, words, { stdio: "inherit" });
  if (exitStatus === 0) return;
  throw new Error(
    `The smoke test failed after a complete deployment. To repeat only the test:\n  npm run smoke -- ${connectionFile}`,
  );
}
