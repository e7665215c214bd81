import type { TestProject } from "vitest/node";
import { fundsMoves } from "../../shared/contract/routes.ts";
import { startEngine } from "./engine.ts";
import { type TableSchemas, tablesOfTheTemplate } from "./tables.ts";

declare module "vitest" {
  interface ProvidedContext {
    dynamoEndpoint: string;
    tableSchemas: TableSchemas;
    fundsMoves: string;
  }
}

/** One engine for all the test files of a run; each file has its own tables. */
export default async function startEngineOfTheRun(project: TestProject): Promise<() => Promise<void>> {
  const engine = await startEngine();
  project.provide("dynamoEndpoint", engine.endpoint);
  project.provide("tableSchemas", tablesOfTheTemplate());
  project.provide("fundsMoves", fundsMoves.join(","));
  return engine.stop;
}
