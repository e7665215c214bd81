import { declareCommand, runCommand } from "../command-line/command.ts";
import { text } from "../command-line/options.ts";

export const command = declareCommand({
  name: "rollback",
  summary: "gives the invocations of a function back to the version before, within a minute",
  takes: [
    { name: "environment", about: "staging or production" },
    { name: "function", about: "authorizer, processor-events or vault" },
  ],
  options: {
    to: text("<version>", "an earlier version; default: the one before the version in use"),
  },
  run: async ({ words: [environment = "", folder = ""], options }) => {
    const { settingsOf, toEnvironmentName } = await import("../environments.ts");
    const { rollBack } = await import("./rollback/rollback.ts");
    const { writingRegion } = await import("../constructs/second-region-settings.ts");
    const settings = settingsOf(toEnvironmentName(environment));
    await rollBack({ settings: { ...settings, region: writingRegion(settings) }, folder, to: options.to });
  },
});

if (import.meta.main) await runCommand(command);
