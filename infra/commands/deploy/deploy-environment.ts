import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import * as z from "zod";
import { sayAtInterrupt } from "../../command-line/clean-up.ts";
import { sayStep as say } from "../../command-line/print.ts";
import { readSettings, type Settings } from "../../environments.ts";
import { listParts, type StackPart, stageName } from "../../stacks/stack-parts.ts";
import { writeStoreFile } from "../audit/connect-store.ts";
import { administerThere } from "../invoke-operator.ts";
import { pruneVersions } from "../rollback/prune-versions.ts";
import { deployStack, ensureBootstrapped, runSmokeTest } from "./cdk.ts";
import {
  type Caller,
  checkCredentials,
  deployableSettings,
  findCaller,
  hasBucketsInPath,
  isEmulated,
} from "./environment-checks.ts";
import { ensureFirstTenant } from "./first-tenant.ts";
import { recordInParameterStore, writeConnectionFile } from "./first-tenant-record.ts";
import type { DeployOptions } from "./options.ts";
import { checkQuotas } from "./quotas.ts";
import { ReplicaParameters, settingsThere } from "./second-region.ts";
import {
  type AssembledStack,
  adviceAfterFailure,
  adviceAfterInterrupt,
  DeployedStacks,
  readStacks,
} from "./stacks.ts";
import { checkTrail } from "./trail.ts";
import { checkClientCaBundle, clientCaBundleVersion, uploadClientCaBundle } from "./truststore.ts";

const root = path.resolve(import.meta.dirname, "../../..");

interface Deployment {
  readonly settings: Settings;
  readonly options: DeployOptions;
  readonly assembly: string;
  /** Those of the other region are not among them. */
  readonly stacks: ReadonlyMap<string, AssembledStack>;
  readonly deployed: DeployedStacks;
  /** Given in the second region alone. */
  readonly replicas: ReplicaParameters | undefined;
}

const DataOutputs = z.object({
  TruststoreBucketName: z.string(),
  IssuingTableName: z.string(),
  AccountsTableName: z.string(),
  DataKeyArn: z.string(),
  RecordsBucketName: z.string(),
  KeyPepperArn: z.string(),
});
const EdgeOutputs = z.object({ PlatformBaseUrl: z.url(), SandboxBaseUrl: z.url().optional() });
const Bundle = z.object({ truststore: z.string() });

/**
 * Checks settings, credentials and quotas, deploys all stacks, creates the first Tenant and runs
 * the smoke test. Skips what is done.
 */
export async function deployEnvironment(options: DeployOptions, read = readSettings): Promise<void> {
  const first = deployableSettings(options.environment, { isEmulated: isEmulated(process.env), read });
  const isThere = options.region === "second";
  const settings = isThere ? settingsThere(first) : first;
  const { name, account, region } = settings;
  say(`Settings: valid, account ${account} in ${region}`);
  say(`Credentials: ${await checkCredentials(settings)}`);
  say(`Second copy of the books: ${describeSecondCopy(first)}`);
  // The first region's Tenant is in the replicas.
  const caller =
    isThere || options["no-caller"]
      ? undefined
      : await findCaller({ address: options.caller, domain: options["caller-domain"] });
  if (caller !== undefined) say(`First caller: ${caller.address}, ${caller.domain}`);
  if (options.assembly === undefined)
    say("Templates: being written and checked, which takes one to two minutes");
  const assembly = path.resolve(options.assembly ?? (await import("../../app.ts")).synthesize(name));
  const stacks = new Map(
    [...readStacks(assembly)].filter(([displayName]) => displayName.startsWith(`${stageName(settings)}/`)),
  );
  const quotas = { settings, stacks: stacks.values(), isIgnored: options["ignore-quotas"] };
  say(`Quotas: ${await checkQuotas(quotas)}`);
  say(`Trail: ${await checkTrail({ settings, isIgnored: options["ignore-trail"] })}`);
  const bootstrapped = { settings, stacks: stacks.values(), mayBootstrap: options.bootstrap };
  say(`Bootstrap of the CDK: ${await ensureBootstrapped(bootstrapped)}`);
  const replicas = isThere ? new ReplicaParameters(first, settings) : undefined;
  const deployment = { settings, options, assembly, stacks, deployed: new DeployedStacks(region), replicas };
  const outputs = await deployStacks(deployment);
  say(`Earlier versions of functions: ${await pruneVersions(settings)}`);
  if (isThere) {
    const { IssuingTableName: issuingTable, AccountsTableName: accountsTable } = outputs.data;
    const store = { region, issuingTable, accountsTable };
    // The commands of a failover read it.
    say(`Store file: ${writeStoreFile(options.connections, name, "second", store)}`);
  }
  if (caller === undefined) return;
  const file = await makeFirstTenant(deployment, caller, outputs);
  await runSmokeTest(file, options.patience);
}

function describeSecondCopy({ secondCopy }: Settings): string {
  if (secondCopy === undefined) return "none, which docs/second-copy.md describes";
  const { vaultName, account, region } = secondCopy;
  return `in the vault ${vaultName} of account ${account}, ${region}`;
}

/** The certificates function, which provides the CAs, comes before the hosts, which trust them. */
async function deployStacks(deployment: Deployment) {
  const { settings } = deployment;
  const { name, region } = settings;
  const outputs = new Map<StackPart, unknown>();
  for (const part of listParts(settings))
    if (part !== "edge" && part !== "listener") outputs.set(part, await deploy(deployment, part));
  const data = parseOutputs(DataOutputs, outputs.get("data"));
  const { truststore: ofEnvironment } = Bundle.parse(await administerIn(settings)("view-truststore", {}));
  const truststore = wholeBundle(name, ofEnvironment);
  const s3 = new S3Client({ region, forcePathStyle: hasBucketsInPath(process.env) });
  const before = await clientCaBundleVersion(s3, data.TruststoreBucketName);
  const version = await uploadClientCaBundle(s3, data.TruststoreBucketName, truststore);
  say(`Truststore: ${version === before ? "already there" : "written"}, version ${version}`);
  const edge = await deploy(deployment, "edge", [`TruststoreVersion=${version}`]);
  // Its listener does not start without the CAs.
  if (settings.listener !== undefined) await deploy(deployment, "listener");
  return { data, edge: parseOutputs(EdgeOutputs, edge), truststore };
}

function parseOutputs<S extends z.ZodType>(schema: S, outputs: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(outputs ?? {});
  if (success) return data;
  throw new Error(`The stack's outputs do not match this version:\n${z.prettifyError(error)}`);
}

/** Joins the environment's CAs and those in `infra/truststore/<environment>.pem`. */
function wholeBundle(name: string, bundle: string): string {
  const file = path.join(root, "infra/truststore", `${name}.pem`);
  const whole = existsSync(file) ? `${bundle}${readFileSync(file, "utf8")}` : bundle;
  checkClientCaBundle(whole, new Date());
  return whole;
}

async function deploy(deployment: Deployment, part: StackPart, parameters: string[] = []): Promise<unknown> {
  const { settings, assembly, stacks, deployed, options, replicas } = deployment;
  const stack = `${stageName(settings)}/${part}`;
  const assembled = stacks.get(stack);
  if (assembled === undefined) throw new Error(`${assembly} does not contain the stack ${stack}.`);
  const { stackName } = assembled;
  const before = await deployed.find(stackName);
  if (options["keep-data"] && part === "data") {
    if (before === undefined)
      throw new Error(`--keep-data requires the stack ${stackName}, which does not exist.`);
    say(`${stackName}: not changed (--keep-data)`);
    return before.outputs;
  }
  await deployed.prepare(assembled, new Set(options.accept));
  const [, command = "deploy", ...words] = process.argv;
  const again = `npm run ${path.parse(command).name} -- ${words.join(" ")}`;
  const filled = [...((await replicas?.of(assembled, before)) ?? [])];
  const all = [...parameters, ...filled.map(([name, value]) => `${name}=${value}`)];
  say(`${stackName}:`);
  const ofCdk = [...options.ofCdk, ...all.flatMap((one) => ["--parameters", one])];
  await using _ = sayAtInterrupt(() => adviceAfterInterrupt(stackName, again));
  const outputs = await deployStack({ assembly, stack, options: ofCdk }).catch(async (error: unknown) => {
    const advice = adviceAfterFailure(stackName, await deployed.find(stackName), again);
    throw new Error(advice, { cause: error });
  });
  const after = await deployed.find(stackName);
  say(`${stackName}: ${after?.changedAt === before?.changedAt ? "already there" : "deployed"}`);
  return outputs;
}

async function makeFirstTenant(
  { settings, options }: Deployment,
  caller: Caller,
  { data, edge, truststore }: Awaited<ReturnType<typeof deployStacks>>,
): Promise<string> {
  const { name, region, contactEmail, sandboxHost, custodyKeys } = settings;
  const tenant = await ensureFirstTenant({
    administer: administerIn(settings),
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
    recordsBucket: data.RecordsBucketName,
    pepper: data.KeyPepperArn,
    tenant,
  });
  say(`Connection file: ${file}, with secrets, readable only by its owner`);
  return file;
}

function administerIn(settings: Settings) {
  return async (command: string, input: unknown): Promise<unknown> =>
    JSON.parse(await administerThere(settings, command, input));
}
