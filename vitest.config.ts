import { defineConfig } from "vitest/config";

const setupFiles = ["test/harness/engine-setup.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/harness/engine-global.ts"],
    projects: [
      { extends: true, test: { name: "shared", include: ["test/shared/**/*.test.ts"], setupFiles } },
      {
        extends: true,
        test: {
          name: "functions",
          include: ["test/functions/**/*.test.ts"],
          setupFiles,
          testTimeout: 20_000,
        },
      },
    ],
  },
});
