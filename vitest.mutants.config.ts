import { defineConfig } from "vitest/config";

/** The tests that judge mutants (stryker.config.js): those of the two rooms, but for the long random ones: a score is to be the same twice. */
export default defineConfig({
  test: {
    globalSetup: ["test/harness/engine-global.ts"],
    setupFiles: ["test/harness/engine-setup.ts"],
    include: ["test/shared/domain/ledger/*.test.ts", "test/functions/authorizer/*.test.ts"],
    exclude: ["test/shared/domain/ledger/books.proof.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
