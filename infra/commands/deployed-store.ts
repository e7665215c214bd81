import { CannotRun } from "../command-line/options.ts";
import type { Settings } from "../environments.ts";
import type { Store } from "./audit/connect-store.ts";

/** Outputs of an environment's data stack. Throws CannotRun without these. */
export async function readDataOutputs<Name extends string>(
  { name, region }: Pick<Settings, "name" | "region">,
  ...wanted: Name[]
): Promise<Readonly<Record<Name, string>>> {
  const { DeployedStacks } = await import("./deploy/stacks.ts");
  const { stackName } = await import("../stacks/stack-parts.ts");
  const { outputs = {} } = (await new DeployedStacks(region).find(stackName(name, "data"))) ?? {};
  if (wanted.every((output) => outputs[output] !== undefined)) return outputs as Record<Name, string>;
  throw new CannotRun(`${name} is not deployed in ${region}, or your credentials may not read its stacks.`);
}

export async function deployedStore(place: Pick<Settings, "name" | "region">): Promise<Store> {
  const outputs = await readDataOutputs(place, "IssuingTableName", "AccountsTableName");
  const { IssuingTableName: issuingTable, AccountsTableName: accountsTable } = outputs;
  return { region: place.region, issuingTable, accountsTable };
}

/** An environment's settings, in the region that writes. They load the CDK, which is slow. */
export async function readWritingSettings(environment: string): Promise<Settings> {
  const { readSettings, toEnvironmentName } = await import("../environments.ts");
  const { writingRegion } = await import("../constructs/second-region-settings.ts");
  const settings = readSettings(toEnvironmentName(environment));
  return { ...settings, region: writingRegion(settings) };
}

export async function writtenStore(environment: string): Promise<Store> {
  return deployedStore(await readWritingSettings(environment));
}
