/**
 * `npm run synth [-- environment…]`: writes cloud assemblies to `cdk.out/<environment>`, offline,
 * by default for all environments. `--unchecked` skips the rules.
 */
import { startBundling } from "../constructs/start-bundling.ts";
import { parseWords, runCommand } from "./command-line.ts";

const usage = "Usage: npm run synth -- [--unchecked] [environment…]";

await runCommand(async (words) => {
  const { values, positionals } = parseWords(words, { unchecked: { type: "boolean" } }, usage);
  startBundling();
  // CDK takes a second to import.
  const { environmentNames, toEnvironmentName } = await import("../environments.ts");
  const { synthesize } = await import("../app.ts");
  const names = positionals.map(toEnvironmentName);
  for (const name of names.length === 0 ? environmentNames : names)
    synthesize(name, { checked: !values.unchecked });
});
