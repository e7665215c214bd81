import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { fundsMoves } from "../../shared/contract/routes.ts";
import { startEngine } from "./engine.ts";
import { type TableSchemas, tablesOfTheTemplate } from "./tables.ts";

declare module "vitest" {
  interface ProvidedContext {
    dynamoEndpoint: string;
    tableSchemas: TableSchemas;
    fundsMoves: string;
    logLevel: string;
    /** The file in which the grants are noted that the run has needed. */
    usedGrants: string;
  }
}

/** One engine for all the test files of a run; each file has its own tables. */
export default async function startEngineOfTheRun(project: TestProject): Promise<() => Promise<void>> {
  // All temporary files of the tests are in this folder, and go with it. They need not remove them.
  const temporary = mkdtempSync(path.join(tmpdir(), "tests-"));
  process.env.TMPDIR = temporary;
  // Nothing looks at where a construct was made, and CDK notes it for each.
  process.env.CDK_DISABLE_STACK_TRACE = "1";
  const engine = await startEngine();
  project.provide("dynamoEndpoint", engine.endpoint);
  project.provide("tableSchemas", tablesOfTheTemplate());
  project.provide("fundsMoves", fundsMoves.join(","));
  project.provide("logLevel", process.env.LOG_LEVEL ?? "SILENT");
  // Runs that name the same file are one whole to test/grants: .ci/run.
  project.provide("usedGrants", process.env.USED_GRANTS_FILE ?? path.join(temporary, "used-grants"));
  return async () => {
    await engine.stop();
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  };
}
