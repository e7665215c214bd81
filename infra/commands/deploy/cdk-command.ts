import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";

const root = path.resolve(import.meta.dirname, "../../..");

export interface StackDeployment {
  readonly assembly: string;
  /** Such as `staging/data`. */
  readonly stack: string;
  readonly options: readonly string[];
}

/** Deploys one stack with the pinned CDK tool and returns its outputs. Throws if the tool fails. */
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

/** Runs the pinned CDK tool with its output. Throws on an exit status other than 0. */
export function runCdk(words: readonly string[]): void {
  const { status: exitStatus } = spawnSync(
    process.execPath,
    [path.join(root, "node_modules/aws-cdk/bin/cdk"), ...words, "--no-notices"],
    { cwd: root, stdio: "inherit", env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: "true" } },
  );
  if (exitStatus !== 0) throw new Error(`cdk ${words[0]} failed. See its output above.`);
}

/** Runs `npm run smoke` with the connection file. Throws if a check fails. */
export function runSmokeTest(connectionFile: string, patienceSeconds: number): void {
  const smokeTest = path.join(root, "test/smoke/main.ts");
  const words = [smokeTest, "--patience", String(patienceSeconds), connectionFile];
  const { status: exitStatus } = spawnSync(process.execPath, words, { stdio: "inherit" });
  if (exitStatus === 0) return;
  throw new Error(
    `The smoke test failed after a complete deployment. To repeat only the test:\n  npm run smoke -- ${connectionFile}`,
  );
}
