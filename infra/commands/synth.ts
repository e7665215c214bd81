/**
 * `npm run synth [-- environment…]`: writes the cloud assembly of each named environment, of all by default, to
 * `cdk.out/<environment>`. It needs no network. `--unchecked` skips the rules.
 */
import { synthesize } from "../app.ts";
import { environmentNames, toEnvironmentName } from "../environments.ts";
import { parseWords, runCommand } from "./command-line.ts";

const usage = "Usage: npm run synth -- [--unchecked] [environment…]";

await runCommand(async (words) => {
  const { values, positionals } = parseWords(words, { unchecked: { type: "boolean" } }, usage);
  const names = positionals.map(toEnvironmentName);
  for (const name of names.length === 0 ? environmentNames : names)
    synthesize(name, { checked: !values.unchecked });
});
