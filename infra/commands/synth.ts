import { declareCommand, runCommand } from "../command-line/command.ts";
import { flag } from "../command-line/options.ts";
import { progress, say } from "../command-line/print.ts";
import { environmentNames } from "../constructs/environment-names.ts";

export const command = declareCommand({
  name: "synth",
  summary: "writes an environment's templates to cdk.out/, offline",
  takes: [
    {
      name: "environment",
      about: "default: all; second-copy: vaults of other accounts; deployer: what may be deployed",
      is: "repeatable",
      choices: [...environmentNames, "second-copy", "deployer"],
    },
  ],
  options: {
    unchecked: flag("skips CloudFormation's rules and cdk-nag"),
  },
  run: async ({ words, options }) => {
    const { startBundling } = await import("../constructs/start-bundling.ts");
    startBundling();
    // CDK takes a second to import.
    const { synthesize } = await import("../app.ts");
    for (const name of words.length === 0 ? environmentNames : words) {
      progress(`synthesizing ${name}, which takes up to a minute`);
      say(`${name}: ${synthesize(name, { checked: !options.unchecked })}`);
    }
  },
});

if (import.meta.main) await runCommand(command);
