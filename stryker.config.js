/**
 * Mutation tests of the rooms where a mistake costs most: what moves money, and what lets somebody in. What survives is in docs/mutants.md.
 */
export default {
  mutate: ["shared/domain/ledger/*.ts", "functions/authorizer/*.ts"],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutants.config.ts" },
  plugins: ["@stryker-mutator/vitest-runner"],
  // Each worker has its own DynamoDB engine, and the tests of DNS measure time: they fail on a busy machine.
  concurrency: 1,
  timeoutMS: 30_000,
  thresholds: { high: 95, low: 85, break: 85 },
  reporters: ["clear-text", "progress-append-only", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: ".stryker/report.json" },
  // Nothing to be rewritten for the sandbox, and TypeScript 7 has no API to do it by: a file that is not there.
  tsconfigFile: "none",
  tempDirName: ".stryker/sandbox",
  ignorePatterns: [".git", ".local", "cdk.out", "client/dist", "docs", "events"],
  allowEmpty: false,
};
