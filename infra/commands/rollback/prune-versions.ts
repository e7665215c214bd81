import {
  DeleteFunctionCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  LambdaClient,
  LambdaServiceException,
  paginateListAliases,
  paginateListProvisionedConcurrencyConfigs,
} from "@aws-sdk/client-lambda";
import { steppedFunctions } from "../../constructs/deployer-policies.ts";
import { functionName } from "../../constructs/names.ts";
import type { Settings } from "../../environments.ts";
import { publishedVersions } from "./rollback.ts";

/** So many of those that do not serve stay for a rollback. */
const kept = 5;

/**
 * Ends what earlier versions of the functions cost: their warm environments, which count within
 * what is reserved too, and the oldest of them altogether. Returns what it did, in words.
 */
export async function pruneVersions({ name, region }: Pick<Settings, "name" | "region">): Promise<string> {
  try {
    return await prune(new LambdaClient({ region }), name);
  } catch (error) {
    // What is deployed serves, and the next deployment tries again.
    if (error instanceof LambdaServiceException && error.name === "AccessDeniedException")
      return `not deleted: ${error.message}`;
    throw error;
  }
}

async function prune(lambda: LambdaClient, environment: string): Promise<string> {
  let [cooled, deleted] = [0, 0];
  for (const folder of steppedFunctions) {
    const FunctionName = functionName(environment, folder);
    const serving = await servingVersions(lambda, FunctionName);
    const idle = (await publishedVersions(lambda, FunctionName)).filter((version) => !serving.has(version));
    if (idle.length === 0) continue;
    for (const Qualifier of await warmVersions(lambda, FunctionName)) {
      if (!idle.includes(Qualifier)) continue;
      await lambda.send(new DeleteProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier }));
      cooled += 1;
    }
    const oldest = idle.toSorted((one, other) => Number(other) - Number(one)).slice(kept);
    for (const Qualifier of oldest) await lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier }));
    deleted += oldest.length;
  }
  return `${deleted} deleted, ${cooled} no longer warm`;
}

/** Those that an alias gives any invocations to. */
async function servingVersions(client: LambdaClient, FunctionName: string): Promise<Set<string>> {
  const serving = new Set<string>();
  for await (const { Aliases = [] } of paginateListAliases({ client }, { FunctionName })) {
    for (const { FunctionVersion = "", RoutingConfig } of Aliases) {
      serving.add(FunctionVersion);
      for (const version of Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {})) serving.add(version);
    }
  }
  return serving;
}

export async function warmVersions(client: LambdaClient, FunctionName: string): Promise<string[]> {
  const warm: string[] = [];
  const pages = paginateListProvisionedConcurrencyConfigs({ client }, { FunctionName });
  for await (const { ProvisionedConcurrencyConfigs = [] } of pages)
    warm.push(
      ...ProvisionedConcurrencyConfigs.map(({ FunctionArn = "" }) => FunctionArn.split(":").at(-1) ?? ""),
    );
  return warm;
}
