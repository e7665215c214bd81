/**
 * Mutation tests where a mistake costs most: moving money, authorizing it, and access. Results: docs/mutants.md.
 */
export default {
  mutate: ["shared/ledger/*.ts", "shared/authorizations/**/*.ts", "functions/authorizer/*.ts"],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutants.config.ts" },
  plugins: ["@stryker-mutator/vitest-runner"],
  // Several workers would slow the tests of DNS, which measure time.
  concurrency: 1,
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 30,
  thresholds: { high: 95, low: 85, break: 85 },
  reporters: ["clear-text", "progress-append-only", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: ".stryker/report.json" },
  // Names no file: TypeScript 7 has no API that could rewrite it, and nothing needs it.
  tsconfigFile: "none",
  tempDirName: ".stryker/sandbox",
  ignorePatterns: [".git", ".local", ".tools", "cdk.out", "client/dist", ".stryker", "docs", "events"],
  allowEmpty: false,
};
