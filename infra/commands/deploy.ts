/**
 * `npm run deploy -- <environment> [option…] [option of cdk deploy…]`, with credentials of the environment's account: checks what has to be there, deploys the stacks
 * one after the other, the hosts last, with the CAs that are trusted, makes the first Tenant, and tries what is deployed. Each step finds what is done
 * already: repeated, the command goes on where it ended, and changes nothing where nothing is to be changed.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import * as z from "zod";
import { rollOut } from "../constructs/roll-out.ts";
import {
  checkClientCaBundle,
  clientCaBundleVersion,
  uploadClientCaBundle,
} from "../constructs/truststore.ts";
import type { Settings } from "../environments.ts";
import { partsOf, type StackPart } from "../stacks/stack-parts.ts";
import { administer } from "./administration.ts";
import { type AssembledStack, readStacks } from "./deploy/assembly.ts";
import { ensureBootstrapped } from "./deploy/bootstrap.ts";
import { type Caller, findCaller } from "./deploy/caller.ts";
import { deployStack } from "./deploy/cdk-command.ts";
import { writeConnectionFile } from "./deploy/connection-file.ts";
import { checkCredentials } from "./deploy/credentials.ts";
import { adviceAfterFailure, DeployedStacks } from "./deploy/deployed-stack.ts";
import { hasBucketsInPath, isEmulated } from "./deploy/endpoints.ts";
import { ensureFirstTenant } from "./deploy/first-tenant.ts";
import { recordInParameterStore } from "./deploy/first-tenant-record.ts";
import { type DeployOptions, readOptions } from "./deploy/options.ts";
import { checkQuotas } from "./deploy/quotas.ts";
import { deployableSettings } from "./deploy/settings-check.ts";
import { runSmokeTest } from "./deploy/smoke-test.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** What the steps of a deployment share. */
interface Deployment {
  readonly settings: Settings;
  readonly options: DeployOptions;
  readonly assembly: string;
  readonly stacks: ReadonlyMap<string, AssembledStack>;
  readonly deployed: DeployedStacks;
}

const DataOutputs = z.object({
  TruststoreBucketName: z.string(),
  IssuingTableName: z.string(),
  AccountsTableName: z.string(),
  DataKeyArn: z.string(),
});
const EdgeOutputs = z.object({ PlatformBaseUrl: z.url(), SandboxBaseUrl: z.url().optional() });
const Bundle = z.object({ truststore: z.string() });

async function main(words: string[]): Promise<void> {
  const options = readOptions(words);
  const settings = deployableSettings(options.environment, { isEmulated: isEmulated(process.env) });
  const { name, account, region } = settings;
  say(`Settings: in order, account ${account} in ${region}`);
  say(`Credentials: ${await checkCredentials(settings)}`);
  const caller = options.caller === "none" ? undefined : await findCaller(options.caller);
  if (caller !== undefined) say(`First caller: ${caller.address}, ${caller.domain}`);
  const assembly = path.resolve(options.assembly ?? (await synthesized(name)));
  const stacks = readStacks(assembly);
  const quotas = { settings, stacks: stacks.values(), isIgnored: options.ignoreQuotas };
  say(`Quotas: ${await checkQuotas(quotas)}`);
  const bootstrapped = { settings, stacks: stacks.values(), mayBootstrap: options.bootstrap };
  say(`Bootstrap of the CDK: ${await ensureBootstrapped(bootstrapped)}`);
  const deployment = { settings, options, assembly, stacks, deployed: new DeployedStacks(region) };
  const outputs = await deployStacks(deployment);
  if (caller === undefined) return;
  const file = await makeFirstTenant(deployment, caller, outputs);
  runSmokeTest(file, options.patienceSeconds);
}

/** What takes long to load is needed only now. */
async function synthesized(name: Settings["name"]): Promise<string> {
  const { synthesize } = await import("../app.ts");
  return synthesize(name);
}

/** All stacks and the truststore. Returns what came out of them. */
async function deployStacks(deployment: Deployment) {
  const { settings } = deployment;
  const { name, region } = settings;
  const s3 = new S3Client({ region, forcePathStyle: hasBucketsInPath(process.env) });
  const outputs = new Map<string, unknown>();
  const deployPart = async (part: StackPart, parameters: string[] = []) => {
    outputs.set(part, await deploy(deployment, part, parameters));
  };
  const data = () => outputsOf(DataOutputs, outputs.get("data"));
  let truststore = "";
  await rollOut({
    deployInner: async () => {
      for (const part of partsOf(settings)) if (part !== "edge") await deployPart(part);
    },
    publishTruststore: async () => {
      const bucket = data().TruststoreBucketName;
      truststore = wholeBundle(
        name,
        Bundle.parse(await administerAs(name)("view-truststore", {})).truststore,
      );
      const before = await clientCaBundleVersion(s3, bucket);
      const version = await uploadClientCaBundle(s3, bucket, truststore);
      say(`Truststore: ${version === before ? "already there" : "written"}, version ${version}`);
      return version;
    },
    deployEdge: (version) => deployPart("edge", ["--parameters", `TruststoreVersion=${version}`]),
  });
  return { data: data(), edge: outputsOf(EdgeOutputs, outputs.get("edge")), truststore };
}

function outputsOf<S extends z.ZodType>(schema: S, outputs: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(outputs ?? {});
  if (success) return data;
  throw new Error(`The stack's outputs are not those of this version:\n${z.prettifyError(error)}`);
}

/** The CAs of the environment, and those of one's own in `infra/truststore/<environment>.pem`. */
function wholeBundle(name: string, bundle: string): string {
  const file = path.join(root, "infra/truststore", `${name}.pem`);
  const whole = existsSync(file) ? `${bundle}${readFileSync(file, "utf8")}` : bundle;
  checkClientCaBundle(whole, new Date());
  return whole;
}

async function deploy(deployment: Deployment, part: StackPart, parameters: string[]): Promise<unknown> {
  const { assembly, stacks, deployed, options } = deployment;
  const stack = `${options.environment}/${part}`;
  const assembled = stacks.get(stack);
  if (assembled === undefined) throw new Error(`${assembly} holds no ${stack}.`);
  const { stackName } = assembled;
  const before = await deployed.find(stackName);
  if (options.keepData && part === "data") {
    if (before === undefined) throw new Error(`There is no ${stackName} to be kept.`);
    say(`${stackName}: kept as it is`);
    return before.outputs;
  }
  await deployed.prepare(assembled, options.accepted);
  say(`${stackName}:`);
  let outputs: unknown;
  try {
    outputs = deployStack({ assembly, stack, options: [...options.ofCdk, ...parameters] });
  } catch (error) {
    const again = `npm run deploy -- ${process.argv.slice(2).join(" ")}`;
    const advice = adviceAfterFailure(stackName, await deployed.find(stackName), again);
    throw new Error(advice, { cause: error });
  }
  const after = await deployed.find(stackName);
  say(`${stackName}: ${after?.changedAt === before?.changedAt ? "already there" : "deployed"}`);
  return outputs;
}

/** The first Tenant, and the file with which it calls. Answers the file's name. */
async function makeFirstTenant(
  { settings, options }: Deployment,
  caller: Caller,
  { data, edge, truststore }: Awaited<ReturnType<typeof deployStacks>>,
): Promise<string> {
  const { name, region, contactEmail, sandboxHost, custodyKeys } = settings;
  const tenant = await ensureFirstTenant({
    administer: administerAs(name),
    record: recordInParameterStore(name, region, data.DataKeyArn),
    caller,
    contactEmail,
    hasSandbox: sandboxHost !== undefined,
    hasCustodyKeys: custodyKeys !== undefined,
    truststore,
    now: new Date(),
    say,
  });
  const file = writeConnectionFile({
    directory: path.join(options.connections, name),
    region,
    urls: { baseUrl: edge.PlatformBaseUrl, sandboxUrl: edge.SandboxBaseUrl },
    tables: { issuingTable: data.IssuingTableName, accountsTable: data.AccountsTableName },
    tenant,
  });
  say(`Connection file: ${file}, with secrets, for its owner alone`);
  return file;
}

function administerAs(environment: string) {
  return async (command: string, input: unknown): Promise<unknown> =>
    JSON.parse(await administer(environment, command, input));
}

function say(line: string): void {
  console.log(`- ${line}`);
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
