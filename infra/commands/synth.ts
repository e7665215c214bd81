import { parseArgs } from "node:util";
import { synthesize } from "../app.ts";
import { environmentNames, toEnvironmentName } from "../environments.ts";

/**
 * `npm run synth [-- environment…]` writes the cloud assembly of each named environment, of all by default, to
 * `cdk.out/<environment>`. Offline: it asks neither AWS nor anybody else. `--unchecked` leaves the rules out, for a quick
 * start of the local target.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { unchecked: { type: "boolean", default: false } },
});
const requested = positionals.map(toEnvironmentName);
for (const name of requested.length === 0 ? environmentNames : requested) {
  synthesize(name, { checked: !values.unchecked });
}
