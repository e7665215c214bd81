import { declareCommand, runCommand } from "../command-line/command.ts";
import { text, UsageError } from "../command-line/options.ts";
import { steppedFunctions } from "../constructs/deployer-policies.ts";
import { deployedNames } from "../constructs/environment-names.ts";

export const command = declareCommand({
  name: "rollback",
  summary: "gives the invocations of a function back to the version before, within a minute",
  takes: [
    { name: "environment", about: "one of", choices: deployedNames },
    { name: "function", about: "whose versions take over in steps", choices: steppedFunctions },
  ],
  options: {
    to: text("<version>", "an earlier version; default: the one before the version in use"),
  },
  run: async ({ words: [environment = "", word], options }) => {
    const folder = steppedFunctions.find((one) => one === word);
    if (folder === undefined) throw new UsageError("The function is missing.");
    const { readWritingSettings } = await import("./deployed-store.ts");
    const { rollBack } = await import("./rollback/rollback.ts");
    await rollBack({ settings: await readWritingSettings(environment), folder, to: options.to });
  },
});

if (import.meta.main) await runCommand(command);
