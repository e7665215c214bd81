import { synthesize } from "./app.ts";
import { environmentNames, toEnvironmentName } from "./environments.ts";

/**
 * `npm run synth [-- environment…]` writes the cloud assembly of each named environment, of all by default, to
 * `cdk.out/<environment>`. Offline: it asks neither AWS nor anybody else.
 */
const requested = process.argv.slice(2).map(toEnvironmentName);
for (const name of requested.length === 0 ? environmentNames : requested) synthesize(name);
