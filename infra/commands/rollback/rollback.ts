import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { GetAliasCommand, LambdaClient, paginateListVersionsByFunction } from "@aws-sdk/client-lambda";
import { App, DefaultStackSynthesizer, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import * as z from "zod";
import { cleanUp, sayAtInterrupt } from "../../command-line/clean-up.ts";
import { sayStep as say } from "../../command-line/print.ts";
import { type steppedFunctions, vaultQualifier } from "../../constructs/deployer-policies.ts";
import { functionName } from "../../constructs/names.ts";
import type { Settings } from "../../environments.ts";
import { type StackPart, stackName } from "../../stacks/stack-parts.ts";
import { deployStack } from "../deploy/cdk.ts";
import { adviceAfterInterrupt, DeployedStacks } from "../deploy/stacks.ts";

/** The stacks of the functions whose versions take over in steps. */
const parts: Readonly<Record<(typeof steppedFunctions)[number], StackPart>> = {
  authorizer: "api",
  "processor-events": "messaging",
  vault: "vault",
};

interface Rollback {
  readonly settings: Settings;
  readonly folder: (typeof steppedFunctions)[number];
  /** Default: the one before the version in use. */
  readonly to: string | undefined;
}

/** Points all aliases of the function at an earlier version, through CloudFormation. */
export async function rollBack({ settings, folder, to }: Rollback): Promise<void> {
  const { name, region } = settings;
  const [part, stack] = [parts[folder], stackName(name, parts[folder])];
  const deployed = new DeployedStacks(region);
  await deployed.findIdle(stack);
  const template = await deployed.template(stack);
  const aliases = aliasesIn(template, functionName(name, folder));
  if (aliases.length === 0) throw new Error(`${stack} has no aliases of ${folder} that could be moved.`);
  if (to === undefined && aliases.some(({ hasSteps }) => !hasSteps))
    throw new Error(`${folder} is rolled back already. To another version: --to <version>.`);
  const lambda = new LambdaClient({ region });
  const versions = new Map<string, string>();
  for (const alias of aliases) versions.set(alias.logicalId, await findVersion(lambda, alias, to));
  const found = [...new Set(versions.values())].join(", ");
  // Without the version, a repeated command would go one further back.
  const again = `npm run rollback -- ${name} ${folder} --to ${found}`;
  {
    await using _ = sayAtInterrupt(() => adviceAfterInterrupt(stack, again));
    await deployTemplate(settings, part, rolledBack(template, versions));
  }
  say(`${folder}: version ${found} serves`);
}

async function findVersion(lambda: LambdaClient, alias: DeployedAlias, to: string | undefined) {
  const { functionName: FunctionName, name: Name } = alias;
  const published = await publishedVersions(lambda, FunctionName);
  const { FunctionVersion: current = "" } = await lambda.send(new GetAliasCommand({ FunctionName, Name }));
  const found = to === undefined ? versionBefore(published, current) : published.find((one) => one === to);
  if (found === undefined)
    throw new Error(`${FunctionName} has no such version; ${current} is in use, of ${published.join(", ")}.`);
  return found;
}

export async function publishedVersions(client: LambdaClient, FunctionName: string): Promise<string[]> {
  const published: string[] = [];
  for await (const { Versions = [] } of paginateListVersionsByFunction({ client }, { FunctionName }))
    published.push(...Versions.flatMap(({ Version = "" }) => (/^\d+$/.test(Version) ? [Version] : [])));
  return published;
}

async function deployTemplate({ name, account, region }: Settings, part: StackPart, template: unknown) {
  await using ending = cleanUp();
  const assembly = mkdtempSync(path.join(tmpdir(), "rollback-"));
  ending.defer(() => rmSync(assembly, { recursive: true }));
  const props = {
    env: { account, region },
    stackName: stackName(name, part),
    synthesizer: new DefaultStackSynthesizer(part === "vault" ? { qualifier: vaultQualifier } : {}),
  };
  const app = new App({ outdir: assembly, analyticsReporting: false });
  new TemplateStack(app, part, props, template);
  app.synth();
  await deployStack({ assembly, stack: part, options: ["--require-approval", "never"] });
}

/** A stack with a template as it is. */
export class TemplateStack extends Stack {
  readonly #template: unknown;

  constructor(scope: Construct, id: string, props: StackProps, template: unknown) {
    super(scope, id, props);
    this.#template = template;
  }

  /** The CDK writes what this returns. */
  protected override _toCloudFormation(): unknown {
    return this.#template;
  }
}

const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.unknown() })),
});
const AliasProperties = z.looseObject({
  Name: z.string(),
  FunctionName: z.object({ Ref: z.string() }),
});
const FunctionProperties = z.looseObject({ FunctionName: z.string() });

export interface DeployedAlias {
  readonly logicalId: string;
  readonly functionName: string;
  readonly name: string;
  /** False after a rollback, until the next deployment. */
  readonly hasSteps: boolean;
}

/** The aliases of a function whose versions take over in steps: it has no others. */
export function aliasesIn(template: unknown, functionName: string): DeployedAlias[] {
  const { Resources } = Template.parse(template);
  return Object.entries(Resources).flatMap(([logicalId, { Type, Properties, UpdatePolicy }]) => {
    if (Type !== "AWS::Lambda::Alias") return [];
    const { Name: name, FunctionName } = AliasProperties.parse(Properties);
    const owner = FunctionProperties.safeParse(Resources[FunctionName.Ref]?.Properties).data;
    return owner?.FunctionName === functionName
      ? [{ logicalId, functionName, name, hasSteps: UpdatePolicy !== undefined }]
      : [];
  });
}

/**
 * The deployed template with the aliases at these versions, at once: CloudFormation knows what they
 * point at, so the next deployment goes on from there, in steps again.
 */
export function rolledBack(template: unknown, versions: ReadonlyMap<string, string>): unknown {
  const { Resources, ...others } = Template.parse(template);
  const changed = Object.entries(Resources).map(([logicalId, resource]) => {
    const FunctionVersion = versions.get(logicalId);
    if (FunctionVersion === undefined) return [logicalId, resource] as const;
    const { UpdatePolicy: _, Properties, ...rest } = resource;
    return [logicalId, { ...rest, Properties: { ...(Properties as object), FunctionVersion } }] as const;
  });
  return { ...others, Resources: Object.fromEntries(changed) };
}

/** The newest of the published versions before the one in use. */
export function versionBefore(published: readonly string[], current: string): string | undefined {
  const before = published.map(Number).filter((version) => version < Number(current));
  return before.length === 0 ? undefined : String(Math.max(...before));
}
