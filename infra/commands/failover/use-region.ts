import { readConnection } from "../../command-line/connection.ts";
import { UsageError } from "../../command-line/options.ts";
import { openStore, useStore } from "../audit/connect-store.ts";
import type { DeployedRegion } from "../deploy/options.ts";
import { deployedStore } from "../deployed-store.ts";

/**
 * Points this process at an environment in one of its regions. Call this before importing modules
 * that read the environment.
 */
export async function useRegion(environment: string, wanted: DeployedRegion): Promise<void> {
  process.env.ENVIRONMENT_NAME = environment;
  if (environment === "local") {
    process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL(readConnection().operatorUrl).origin;
    openStore();
    return;
  }
  const { readSettings, toEnvironmentName } = await import("../../environments.ts");
  const settings = readSettings(toEnvironmentName(environment));
  const region = wanted === "first" ? settings.region : settings.secondRegion?.region;
  if (region === undefined) throw new UsageError("The environment has no second region.");
  useStore(await deployedStore({ name: settings.name, region }));
}
