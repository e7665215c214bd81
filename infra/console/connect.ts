import { findConnectionFile } from "../command-line/connection-file.ts";
import { CannotRun } from "../command-line/options.ts";
import { readStore, type Store, useStore } from "../commands/audit/connect-store.ts";
import { type Target, targetOf } from "../commands/dead-letters/target.ts";

/**
 * Points this process at an environment's tables, with the person's own credentials for AWS. Call
 * this before importing modules that read the environment.
 */
export async function connect(environment: string | undefined): Promise<Target> {
  const name = environment ?? "local";
  useStore(name === "local" ? readStore(findConnectionFile()) : await deployedStore(name));
  return targetOf(name);
}

/** From outputs of the stacks. The settings load the CDK, which is slow and unnecessary locally. */
async function deployedStore(environment: string): Promise<Store> {
  const { settingsOf, toEnvironmentName } = await import("../environments.ts");
  const { DeployedStacks } = await import("../commands/deploy/stacks.ts");
  const { stackName } = await import("../stacks/stack-parts.ts");
  const { name, region } = settingsOf(toEnvironmentName(environment));
  const data = await new DeployedStacks(region).find(stackName(name, "data"));
  const { IssuingTableName: issuingTable, AccountsTableName: accountsTable } = data?.outputs ?? {};
  if (issuingTable === undefined || accountsTable === undefined)
    throw new CannotRun(`${name} is not deployed in ${region}, or your credentials may not read its stacks.`);
  return { region, issuingTable, accountsTable };
}
