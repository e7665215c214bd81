import path from "node:path";
import { App, type AppProps, Stage, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, PCIDSS321Checks } from "cdk-nag";
import type { Construct } from "constructs";
import cdkJson from "../cdk.json" with { type: "json" };
import { DataStack } from "./data-stack.ts";
import { type EnvironmentName, environmentNames, settingsOf } from "./environments.ts";
import { ServiceStack } from "./service-stack.ts";

/** One environment: what is kept, and what a deployment may replace. */
export class EnvironmentStage extends Stage {
  readonly data: DataStack;
  readonly service: ServiceStack;

  constructor(scope: Construct, name: EnvironmentName) {
    const settings = settingsOf(name);
    super(scope, name, { env: { account: settings.account, region: settings.region } });
    const tags = { application: "card-issuing", environment: name };
    this.data = new DataStack(this, "data", {
      tags,
      stackName: `card-issuing-${name}-data`,
      description: `Card issuing platform, ${name}: what is kept.`,
      settings,
    });
    this.service = new ServiceStack(this, "service", {
      tags,
      stackName: `card-issuing-${name}-service`,
      description: `Card issuing platform, ${name}: what a deployment may replace.`,
      settings,
      data: this.data,
    });
  }
}

export interface PlatformAppProps extends AppProps {
  /** False skips the rule packs and CloudFormation's own rules, most of a synthesis' time. Nothing unchecked is deployed. */
  readonly checked?: boolean;
}

/** The app of some environments: one Stage each, checked when it is synthesized. */
export function createApp(
  names: readonly EnvironmentName[],
  { checked = true, ...props }: PlatformAppProps = {},
): App {
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: checked,
    ...props,
    context: { ...cdkJson.context, ...props.context },
  });
  if (checked) Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new PCIDSS321Checks(app));
  Validations.of(app).acknowledge({
    id: "PCI.DSS.321-IAMNoInlinePolicy",
    reason:
      "Each inline policy is one role's own, made and removed with it: a shared policy is what lets rights spread.",
  });
  for (const name of names) new EnvironmentStage(app, name);
  return app;
}

/** Writes an environment's cloud assembly, bundles included, to `cdk.out/<environment>`, and returns that directory. */
export function synthesize(name: EnvironmentName, options: { checked?: boolean } = {}): string {
  const outdir = path.resolve(import.meta.dirname, "../cdk.out", name);
  createApp([name], { ...options, outdir }).synth();
  return outdir;
}

// As the command line tool's app (cdk.json) it is every environment.
if (import.meta.main) createApp(environmentNames).synth();
