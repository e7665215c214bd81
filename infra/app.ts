import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import {
  App,
  type AppProps,
  BootstraplessSynthesizer,
  DefaultStackSynthesizer,
  type IPolicyValidationPlugin,
  PermissionsBoundary,
  RemovalPolicy,
  type Stack,
  Stage,
  Validations,
} from "aws-cdk-lib";
import type { Construct } from "constructs";
import cdkJson from "../cdk.json" with { type: "json" };
import { acknowledge } from "./constructs/acknowledge.ts";
import { boundaryName, vaultQualifier, vaultTag } from "./constructs/deployer-policies.ts";
import { functionName } from "./constructs/names.ts";
import { isSecond } from "./constructs/second-region-settings.ts";
import {
  deployedNames,
  type EnvironmentName,
  environmentNames,
  readSettings,
  type Settings,
  secondSettings,
  toEnvironmentName,
} from "./environments.ts";
import { ApiStack } from "./stacks/api-stack.ts";
import { BackupStack, SecondCopyStack } from "./stacks/backup-stack.ts";
import { DataStack } from "./stacks/data-stack.ts";
import { DeployerStack } from "./stacks/deployer-stack.ts";
import { EdgeStack } from "./stacks/edge-stack.ts";
import { ListenerStack } from "./stacks/listener-stack.ts";
import { MessagingStack } from "./stacks/messaging-stack.ts";
import { OperationsStack } from "./stacks/operations-stack.ts";
import { SandboxStack } from "./stacks/sandbox-stack.ts";
import { SecondDataStack } from "./stacks/second-data-stack.ts";
import { SecondRegionStack } from "./stacks/second-region-stack.ts";
import {
  type StackPart,
  secondRegionPart,
  stackContents,
  stackName,
  stageName,
} from "./stacks/stack-parts.ts";
import { TelemetryStack } from "./stacks/telemetry-stack.ts";
import { VaultStack } from "./stacks/vault-stack.ts";
import { installTool } from "./tools/install-tool.ts";

const require = createRequire(import.meta.url);

/** An administrator puts it into each account (docs/pipeline.md). */
const permissionsBoundary = PermissionsBoundary.fromName(boundaryName);

export class EnvironmentStage extends Stage {
  readonly stacks: ReadonlyMap<StackPart, Stack>;
  readonly secondRegion?: Stack;

  constructor(scope: Construct, name: EnvironmentName, settings = readSettings(name)) {
    super(scope, stageName(settings), {
      env: { account: settings.account, region: settings.region },
      ...(name === "local" ? {} : { permissionsBoundary }),
    });
    const props = (part: StackPart) => ({
      settings,
      tags: { application: "card-issuing", environment: name },
      stackName: stackName(name, part),
      description: `Card issuing platform, ${name}: ${stackContents[part]}.`,
      // Deleting a stack would delete queues, hosts and usage plans.
      terminationProtection: settings.removalPolicy !== RemovalPolicy.DESTROY,
    });
    const data = new (isSecond(settings) ? SecondDataStack : DataStack)(this, "data", props("data"));
    const telemetry = new TelemetryStack(this, "telemetry", { ...props("telemetry"), data });
    const common = { data, telemetry };
    const ofVault = props("vault");
    const vault = new VaultStack(this, "vault", {
      ...ofVault,
      ...common,
      tags: { ...ofVault.tags, [vaultTag.key]: vaultTag.value },
      // Its code and its rights are nobody's who deploys the other stacks.
      synthesizer: new DefaultStackSynthesizer({ qualifier: vaultQualifier }),
    });
    const { secondCopy } = settings;
    const backup =
      secondCopy && new BackupStack(this, "backup", { ...props("backup"), secondCopy, data, vault });
    const messaging = new MessagingStack(this, "messaging", { ...props("messaging"), ...common });
    const { processorQueue } = messaging;
    const api = new ApiStack(this, "api", { ...props("api"), ...common, processorQueue });
    const { authorizer, accountFunction: account } = api;
    const sandbox = settings.sandboxHost
      ? new SandboxStack(this, "sandbox", { ...props("sandbox"), ...common, authorizer })
      : undefined;
    const pepperReaders = [{ role: authorizer.role, name: functionName(name, "authorizer") }, account];
    const operations = new OperationsStack(this, "operations", {
      ...props("operations"),
      ...common,
      pepperReaders,
    });
    const edge = new EdgeStack(this, "edge", {
      ...props("edge"),
      ...common,
      platform: api.platformApi,
      sandbox: sandbox?.sandboxApi,
      webhooks: api.webhookApi,
      account,
      operator: operations.operator,
      sweeper: messaging.sweeper,
    });
    const listener =
      settings.listener &&
      new ListenerStack(this, "listener", { ...props("listener"), ...common, listener: settings.listener });
    operations.addDashboard({ ...data.tables, VaultTable: vault.table });
    if (settings.secondRegion && !isSecond(settings))
      this.secondRegion = this.#addSecondRegion(settings, [data, vault]);
    const first = { data, telemetry, vault, backup, messaging, api, sandbox, operations, edge };
    const made = Object.entries({ ...first, listener }).filter(([, stack]) => stack);
    this.stacks = new Map(made as [StackPart, Stack][]);
  }

  #addSecondRegion({ name, account, secondRegion }: Settings, stacks: readonly Stack[]): Stack {
    return new SecondRegionStack(this, secondRegionPart, {
      stackName: `card-issuing-${name}-${secondRegionPart}`,
      description: `Card issuing platform, ${name}: the keys of the second region.`,
      env: { account, region: secondRegion?.region },
      stacks,
      // Nobody else may replicate the vault's keys.
      synthesizer: new DefaultStackSynthesizer({ qualifier: vaultQualifier }),
    });
  }
}

interface PlatformAppProps extends AppProps {
  /**
   * `false` skips cdk-nag, CloudFormation's slow rules, stack traces and `tree.json`. Never deploy
   * the result.
   */
  readonly checked?: boolean;
}

export function createApp(names: readonly EnvironmentName[], props: PlatformAppProps = {}): App {
  const app = createEmptyApp(props);
  for (const name of names) addStages(app, readSettings(name));
  return app;
}

/** A second stage for a second region that serves. */
export function addStages(app: App, settings: Settings): EnvironmentStage[] {
  const second = secondSettings(settings);
  return [settings, ...(second ? [second] : [])].map((one) => new EnvironmentStage(app, one.name, one));
}

/** Those of cdk-nag that are used. */
type RulePacks = Record<"AwsSolutionsChecks" | "PCIDSS321Checks", new (app: App) => IPolicyValidationPlugin>;

export function createEmptyApp({ checked = true, ...props }: PlatformAppProps): App {
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: checked,
    stackTraces: checked,
    treeMetadata: checked,
    ...props,
    context: { ...cdkJson.context, ...props.context },
  });
  if (checked) {
    // Imported late: it takes a quarter of a second, which `npm start` saves.
    const { AwsSolutionsChecks, PCIDSS321Checks }: RulePacks = require(
      path.join(installTool("cdk-nag"), "cdk-nag"),
    );
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new PCIDSS321Checks(app));
  }
  acknowledge(app, {
    "PCI.DSS.321-IAMNoInlinePolicy":
      "Each inline policy is one role's own, made and removed with it: a shared policy is what lets rights spread.",
  });
  return app;
}

/**
 * A stack for each environment's account. It comes before the bootstrap, and needs none. Unchecked:
 * its policies are what the rule packs refuse, rights to whole services. A test has their limits.
 */
export function createDeployerApp(props: PlatformAppProps = {}): App {
  const app = createEmptyApp({ ...props, checked: false });
  for (const settings of deployedNames.map(readSettings)) {
    const { account, region } = settings;
    new DeployerStack(app, settings.name, {
      settings,
      env: { account, region },
      synthesizer: new BootstraplessSynthesizer(),
      stackName: "card-issuing-deployer",
      description: "Card issuing platform: what those who deploy it may do.",
    });
  }
  return app;
}

/** A stack for each environment that names a second copy: the vaults of other accounts. */
export function createSecondCopyApp(props: PlatformAppProps = {}): App {
  const app = createEmptyApp(props);
  for (const settings of environmentNames.map(readSettings)) {
    if (settings.secondCopy === undefined) continue;
    const { account, region, vaultName } = settings.secondCopy;
    new SecondCopyStack(app, settings.name, {
      settings,
      vaultName,
      env: { account, region },
      stackName: `card-issuing-${settings.name}-second-copy`,
      description: `Card issuing platform, ${settings.name}: the vault of its second copy.`,
      terminationProtection: true,
    });
  }
  return app;
}

/** What is synthesized beside the environments, by its name. */
const otherApps: Readonly<Record<string, (props: PlatformAppProps) => App>> = {
  deployer: createDeployerApp,
  "second-copy": createSecondCopyApp,
};

/** With all bundles, to `cdk.out/<name>`. Returns that directory. */
export function synthesize(name: string, options: { checked?: boolean } = {}): string {
  const create = otherApps[name] ?? ((props) => createApp([toEnvironmentName(name)], props));
  const outdir = path.resolve(import.meta.dirname, "../cdk.out", name);
  // CDK's command line would refuse to deploy, for what an earlier synthesis was told.
  rmSync(path.join(outdir, "validation-report.json"), { force: true });
  create({ ...options, outdir }).synth();
  return outdir;
}

/** The same of settings that are not declared so. */
export function synthesizeSettings(settings: Settings): string {
  const outdir = path.resolve(import.meta.dirname, "../cdk.out", `${settings.name}.restore`);
  rmSync(outdir, { recursive: true, force: true });
  const app = createEmptyApp({ outdir });
  addStages(app, settings);
  app.synth();
  return outdir;
}

// `cdk.json` runs this file for all environments.
if (import.meta.main) createApp(environmentNames).synth();
