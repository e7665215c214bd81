import { CannotRun } from "../command-line/options.ts";
import type { Store } from "./audit/connect-store.ts";

/** Reads outputs of an environment's stacks in a region. */
export async function deployedStore(name: string, region: string): Promise<Store> {
  const { DeployedStacks } = await import("./deploy/stacks.ts");
  const { stackName } = await import("../stacks/stack-parts.ts");
  const data = await new DeployedStacks(region).find(stackName(name, "data"));
  const { IssuingTableName: issuingTable, AccountsTableName: accountsTable } = data?.outputs ?? {};
  if (issuingTable === undefined || accountsTable === undefined)
    throw new CannotRun(`${name} is not deployed in ${region}, or your credentials may not read its stacks.`);
  return { region, issuingTable, accountsTable };
}

/** In the region that writes. The settings load the CDK, which is slow. */
export async function writtenStore(environment: string): Promise<Store> {
  const { settingsOf, toEnvironmentName } = await import("../environments.ts");
  const { writingRegion } = await import("../constructs/second-region-settings.ts");
  const settings = settingsOf(toEnvironmentName(environment));
  return deployedStore(settings.name, writingRegion(settings));
}
