import path from "node:path";
import { createApp } from "./app.ts";
import { type EnvironmentName, environmentNames } from "./environments.ts";

/**
 * `node infra/synth.ts [environment…]` synthesizes the named environments, all by default, each into a cloud assembly of its own,
 * `cdk.out/<environment>`. Offline: it asks neither AWS nor anybody else.
 */
function main(requested: string[]) {
  const names = requested.length === 0 ? environmentNames : requested.map(toEnvironmentName);
  for (const name of names) {
    createApp([name], { outdir: path.resolve(import.meta.dirname, "../cdk.out", name) }).synth();
  }
}

function toEnvironmentName(name: string): EnvironmentName {
  const known = environmentNames.find((candidate) => candidate === name);
  if (known === undefined) throw new Error(`Unknown environment ${name}: ${environmentNames.join(", ")}.`);
  return known;
}

main(process.argv.slice(2));
