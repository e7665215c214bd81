import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";

const root = path.resolve(import.meta.dirname, "../../..");

export interface StackDeployment {
  /** Where the cloud assembly is. */
  readonly assembly: string;
  /** `staging/data` */
  readonly stack: string;
  readonly options: readonly string[];
}

/** Runs the pinned command line tool on one stack of the assembly, and returns the stack's outputs. Errors: it failed, and said why. */
export function deployStack({ assembly, stack, options }: StackDeployment): unknown {
  const directory = mkdtempSync(path.join(tmpdir(), "deploy-"));
  try {
    const outputsFile = path.join(directory, "outputs.json");
    runCdk(["deploy", stack, "--app", assembly, "--exclusively", "--outputs-file", outputsFile, ...options]);
    const outputsByStack = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(readFileSync(outputsFile, "utf8")));
    return Object.values(outputsByStack)[0];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Runs the pinned command line tool of the CDK, which says what it does. Errors: it ended with another status than 0. */
export function runCdk(words: readonly string[]): void {
  const { status: exitStatus } = spawnSync(
    process.execPath,
    [path.join(root, "node_modules/aws-cdk/bin/cdk"), ...words, "--no-notices"],
    { cwd: root, stdio: "inherit", env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: "true" } },
  );
  if (exitStatus !== 0) throw new Error(`cdk ${words[0]} failed: its own words stand above.`);
}
