import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Files that use DynamoDB get tables of their own on the run's engine, and the environment that names them. */
const tables = { setupFiles: ["test/harness/engine-setup.ts"] };

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
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      project("architecture", "test/*.test.ts"),
      project("shared", "test/shared/**/*.test.ts", tables),
      project("functions", "test/functions/**/*.test.ts", tables),
      project("audit", "test/audit/**/*.test.ts", tables),
      project("infra", "test/infra/**/*.test.ts", { testTimeout: 60_000, hookTimeout: 60_000 }),
      project("client", "test/client/**/*.test.ts"),
      project("local", "test/local/**/*.test.ts", { testTimeout: 60_000 }),
      // A whole platform for each file: after the others, so that they do not take its two cores away.
      project("system", "test/system/**/*.test.ts", {
        testTimeout: 60_000,
        hookTimeout: 120_000,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
});
