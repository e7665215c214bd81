import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Files that use DynamoDB get tables of their own on the run's engine, and the environment that names them. */
const tables = { setupFiles: ["test/harness/engine-setup.ts"] };
/** What runs functions notes which of their grants it has needed. */
const notes = "test/harness/used-grants-setup.ts";

function project(
  name: string,
  include: string,
  options: TestProjectInlineConfiguration["test"] = {},
): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include: [include], ...options } };
}

export default defineConfig({
  test: {
    globalSetup: ["test/harness/engine-global.ts"],
    maxWorkers: 2,
    maxConcurrency: 20,
    // The limit ends what hangs. A busy machine may take ten times as long as a free one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Not 0: those would run after all others where there is one worker.
    sequence: { groupOrder: 1 },
    projects: [
      project("architecture", "test/*.test.ts"),
      project("shared", "test/shared/**/*.test.ts", {
        ...tables,
        isolate: false,
        exclude: ["test/shared/lists/**"],
      }),
      // They move the time, and the ids of a process never go back.
      project("lists", "test/shared/lists/**/*.test.ts", { ...tables, testTimeout: 180_000 }),
      project("functions", "test/functions/**/*.test.ts", {
        setupFiles: [...tables.setupFiles, notes, "test/harness/as-functions.ts"],
      }),
      project("audit", "test/audit/**/*.test.ts", tables),
      // In one module graph: what they do most of the time is import CDK and synthesize the same templates.
      project("infra", "test/infra/**/*.test.ts", {
        isolate: false,
        testTimeout: 180_000,
        hookTimeout: 180_000,
      }),
      project("client", "test/client/**/*.test.ts"),
      project("local", "test/local/**/*.test.ts", { testTimeout: 180_000 }),
      // A whole platform for each file: after the others, so that they do not take its two cores away.
      project("system", "test/system/**/*.test.ts", {
        testTimeout: 180_000,
        hookTimeout: 180_000,
        setupFiles: [notes],
        sequence: { groupOrder: 2 },
      }),
      // Reads what all others have noted.
      project("grants", "test/grants/*.test.ts", { sequence: { groupOrder: 3 } }),
    ],
  },
});
