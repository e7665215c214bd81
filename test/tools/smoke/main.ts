import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import {
  connectionArgument,
  findConnectionFile,
  readConnectionFile,
} from "../../../infra/command-line/connection-file.ts";
import { json, number } from "../../../infra/command-line/options.ts";
import { printJson, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "smoke",
  summary: "tests a running platform from outside; without a sandbox it only reads",
  takes: [connectionArgument],
  options: {
    patience: number("seconds to wait for a new deployment", { least: 0, fallback: 0 }),
    json,
  },
  failsIf: "a check failed",
  run: async ({ words: [givenFile], options }) => {
    const file = findConnectionFile(givenFile);
    const { Deployment, SmokeConnection } = await import("./deployment.ts");
    const { untilItTakesRequests } = await import("./patience.ts");
    const { smoke } = await import("./smoke.ts");
    const connection = readConnectionFile(file, SmokeConnection);
    const { baseUrl } = connection;
    const seconds = options.patience;
    try {
      if (seconds > 0) await untilItTakesRequests(new Deployment(connection), { seconds, tell: say });
      const passed = await smoke(connection, say);
      say(`${baseUrl}: all ${passed} checks passed.`);
      if (options.json) printJson({ baseUrl, passed });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new Error(`not ok - ${error.message}`, { cause: error });
    }
  },
});

if (import.meta.main) await runCommand(command);
