import { defineConfig } from "vitest/config";

/** The tests of stryker.config.js without the long random ones: the score is reproducible. */
export default defineConfig({
  test: {
    globalSetup: ["test/harness/engine-global.ts"],
    setupFiles: ["test/harness/engine-setup.ts"],
    include: [
      "test/shared/ledger/*.test.ts",
      "test/functions/authorizer/*.test.ts",
      "test/shared/authorizations/**/*.test.ts",
      "test/shared/network-events/money-rules.test.ts",
      "test/functions/processor-events/*.test.ts",
      "test/audit/closed-months.test.ts",
      "test/functions/wallets/hot-wallet*.test.ts",
      // A Wallet's transactions are made from its journal entries.
      "test/functions/wallets/list-wallet-transactions.test.ts",
    ],
    // Of the documentation, which is not in the copy that is changed.
    exclude: ["**/*.proof.test.ts", "**/guide.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
