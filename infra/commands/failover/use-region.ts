import { findConnectionFile } from "../../command-line/connection-file.ts";
import { UsageError } from "../../command-line/options.ts";
import { readStore, useStore } from "../audit/connect-store.ts";
import type { DeployedRegion } from "../deploy/options.ts";
import { deployedStore } from "../deployed-store.ts";
import { readConnection } from "../invoke-operator.ts";

/**
 * Points this process at an environment in one of its regions. Call this before importing modules
 * that read the environment.
 */
export async function useRegion(environment: string, wanted: DeployedRegion): Promise<void> {
  process.env.ENVIRONMENT_NAME = environment;
  if (environment === "local") {
    process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL(readConnection().operatorUrl).origin;
    return useStore(readStore(findConnectionFile()));
  }
  const { settingsOf, toEnvironmentName } = await import("../../environments.ts");
  const { name, region: first, secondRegion } = settingsOf(toEnvironmentName(environment));
  const region = wanted === "first" ? first : secondRegion?.region;
  if (region === undefined) throw new UsageError("The environment has no second region.");
  useStore(await deployedStore(name, region));
}
