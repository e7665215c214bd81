import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { GetAliasCommand, LambdaClient, paginateListVersionsByFunction } from "@aws-sdk/client-lambda";
import { App, DefaultStackSynthesizer, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { listen } from "../../command-line/clean-up.ts";
import { UsageError } from "../../command-line/options.ts";
import { sayStep as say } from "../../command-line/print.ts";
import { steppedFunctions, vaultQualifier } from "../../constructs/deployer-policies.ts";
import { functionName } from "../../constructs/names.ts";
import type { Settings } from "../../environments.ts";
import { type StackPart, stackName } from "../../stacks/stack-parts.ts";
import { deployStack } from "../deploy/cdk.ts";
import { DeployedStacks } from "../deploy/stacks.ts";
import { aliasesIn, type DeployedAlias, rolledBack, versionBefore } from "./rolled-back.ts";

/** The stacks of the functions whose versions take over in steps. */
const parts: Readonly<Record<(typeof steppedFunctions)[number], StackPart>> = {
  authorizer: "api",
  "processor-events": "messaging",
  vault: "vault",
};

interface Rollback {
  readonly settings: Settings;
  readonly folder: string;
  /** Default: the one before the version in use. */
  readonly to: string | undefined;
}

/** Points all aliases of the function at an earlier version, through CloudFormation. */
export async function rollBack({ settings, folder, to }: Rollback): Promise<void> {
  const part = Object.entries(parts).find(([name]) => name === folder)?.[1];
  if (part === undefined)
    throw new UsageError(`The function is "${folder}"; it must be one of ${steppedFunctions.join(", ")}.`);
  const { name, region } = settings;
  const stack = stackName(name, part);
  const template = await new DeployedStacks(region).template(stack);
  const aliases = aliasesIn(template, functionName(name, folder));
  const lambda = new LambdaClient({ region });
  const versions = new Map<string, string>();
  for (const alias of aliases) versions.set(alias.logicalId, await findVersion(lambda, alias, to));
  if (versions.size === 0) throw new Error(`${stack} has no aliases of ${folder} that could be moved.`);
  deployTemplate(settings, part, rolledBack(template, versions));
  say(`${folder}: version ${[...new Set(versions.values())].join(", ")} serves`);
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

function deployTemplate({ name, account, region }: Settings, part: StackPart, template: unknown): void {
  listen();
  const assembly = mkdtempSync(path.join(tmpdir(), "rollback-"));
  try {
    const props = {
      env: { account, region },
      stackName: stackName(name, part),
      synthesizer: new DefaultStackSynthesizer(part === "vault" ? { qualifier: vaultQualifier } : {}),
    };
    const app = new App({ outdir: assembly, analyticsReporting: false });
    new TemplateStack(app, part, props, template);
    app.synth();
    deployStack({ assembly, stack: part, options: ["--require-approval", "never"] });
  } finally {
    rmSync(assembly, { recursive: true });
  }
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
