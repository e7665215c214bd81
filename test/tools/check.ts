import { spawn } from "node:child_process";
import { once } from "node:events";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { say } from "../../infra/command-line/print.ts";

const checks = {
  lint: ["infra/tools/run", "biome", "check", "."],
  types: ["node_modules/.bin/tsc", "--noEmit", "-p", "."],
  architecture: [
    ...["node_modules/.bin/vitest", "run", "test/architecture.test.ts", "test/walks.test.ts"],
    "test/workspaces.test.ts",
  ],
} as const;

export const command = declareCommand({
  name: "check",
  summary: "checks lint, types and architecture, and ends at the first that fails",
  notes: "npm run format mends what the linter can. npm test runs the tests.",
  failsIf: "a check failed",
  run: async () => {
    for (const [name, [program, ...words]] of Object.entries(checks)) {
      say(`- ${name}`);
      const [exitCode] = await once(spawn(program, words, { stdio: "inherit" }), "exit");
      if (exitCode !== 0) return false;
    }
    return true;
  },
});

if (import.meta.main) await runCommand(command);
