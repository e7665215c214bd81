import { describe, expect, test } from "vitest";
import { ownConcurrency } from "../../infra/constructs/concurrency.ts";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { vaultCallers } from "../../shared/contract/vault.ts";
import { type Resource, resolved, resource, resourcesOf, synthesized, templatesIn } from "./synthesized.ts";

/** Functions whose new versions take over in steps, with their aliases. */
const stepped: Readonly<Record<string, readonly string[]>> = {
  authorizer: ["live"],
  "processor-events": ["live"],
  vault: Object.keys(vaultCallers),
};
/** The simulated wallet's alias is where the sandbox is, and its failures take no version back. */
const withoutSandbox = (names: readonly string[] = []) => names.filter((one) => one !== "sandbox");

/** Few bank accounts are added: an alarm has ten metrics, two of each alias. */
const measured = (names: readonly string[] = []) => withoutSandbox(names).filter((one) => one !== "accounts");

describe.each(environmentNames)("the functions of %s whose versions take over in steps", (name) => {
  const templates = synthesized(name);
  const functions = resourcesOf(templates, "AWS::Lambda::Function");
  const idOf = (folder: string) =>
    functions.find(([, { Properties }]) => Properties.Environment.Variables.SERVICE_NAME === folder)?.[0] ??
    "";
  const aliasesOf = (folder: string) =>
    resourcesOf(templates, "AWS::Lambda::Alias").filter(
      ([, { Properties }]) => Properties.FunctionName.Ref === idOf(folder),
    );

  test("are these, with these aliases", () => {
    const found = functions.flatMap(([id, { Properties }]) => {
      const names = resourcesOf(templates, "AWS::Lambda::Alias")
        .filter(([, alias]) => alias.Properties.FunctionName.Ref === id)
        .map(([, alias]) => alias.Properties.Name);
      return names.length === 0 ? [] : [[Properties.Environment.Variables.SERVICE_NAME, names.toSorted()]];
    });
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(
        Object.entries(stepped).map(([folder, names]) => {
          return [folder, (name === "production" ? withoutSandbox(names) : names).toSorted()];
        }),
      ),
    );
  });

  test.each(Object.keys(stepped))("%s: each alias moves to the present version by CodeDeploy", (folder) => {
    for (const [, { Properties, UpdatePolicy }] of aliasesOf(folder) as [string, Stepped][]) {
      const [versionId] = Properties.FunctionVersion["Fn::GetAtt"];
      const [, version] =
        resourcesOf(templates, "AWS::Lambda::Version").find(([id]) => id === versionId) ?? [];
      expect(version?.Properties.FunctionName).toEqual({ Ref: idOf(folder) });
      // The version before stays, for a rollback. A version that failed does not.
      expect([version?.DeletionPolicy, version?.UpdateReplacePolicy]).toEqual([
        "RetainExceptOnCreate",
        "Retain",
      ]);
      const { warm } = ownConcurrency(readSettings(name).concurrency, folder);
      expect(version?.Properties.ProvisionedConcurrencyConfig).toEqual(
        warm && { ProvisionedConcurrentExecutions: warm },
      );
      // Lambda has no alias with both weights and provisioned concurrency.
      expect(Properties.ProvisionedConcurrencyConfig).toBeUndefined();
      const { ApplicationName, DeploymentGroupName } = UpdatePolicy.CodeDeployLambdaAliasUpdate;
      const group = groupOf(DeploymentGroupName.Ref);
      expect(group.ApplicationName).toEqual(ApplicationName);
      expect(group.DeploymentConfigName).toBe("CodeDeployDefault.LambdaCanary10Percent10Minutes");
      expect(group.AutoRollbackConfiguration.Events).toContain("DEPLOYMENT_STOP_ON_ALARM");
      expect(watchedBy(group)).toEqual({ aliases: measured(stepped[folder]), versions: [versionId] });
    }
  });

  const groupOf = (id: string) => resource(templates, "AWS::CodeDeploy::DeploymentGroup", id)[1].Properties;

  /** The aliases and versions whose failures take a version back. */
  function watchedBy(group: Resource["Properties"]) {
    const [{ Name }] = group.AlarmConfiguration.Alarms;
    const [, alarm] = resource(templates, "AWS::CloudWatch::Alarm", Name.Ref);
    const dimensions = alarm.Properties.Metrics.flatMap(
      ({ MetricStat }: Resource["Properties"]) => MetricStat?.Metric.Dimensions ?? [],
    ) as { Name: string; Value: never }[];
    const valuesOf = (name: string) =>
      dimensions.filter(({ Name }) => Name === name).map(({ Value }) => Value);
    return {
      aliases: [...new Set(valuesOf("Resource").map((value) => `${value}`.split(":")[1]))],
      versions: [...new Set(valuesOf("ExecutedVersion").map((value) => value["Fn::GetAtt"][0]))],
    };
  }

  test("are invoked by their aliases alone", () => {
    // These name the function itself: they publish it, move its aliases, or set how it is invoked.
    const own = ["Version", "Alias", "EventInvokeConfig"].map((type) => `AWS::Lambda::${type}`);
    for (const folder of Object.keys(stepped)) {
      const id = idOf(folder);
      const isOwn = ([logicalId, { Type }]: [string, Resource]) =>
        own.includes(Type) ||
        Type === "AWS::CloudWatch::Alarm" ||
        (Type === "AWS::IAM::Policy" && logicalId.includes("StepsRole"));
      const naming = templatesIn(templates)
        .flatMap((template) => Object.entries<Resource>(template.toJSON().Resources))
        .filter((one) => !isOwn(one))
        .filter(([, { Properties }]) => namesFunction(resolved(templates, Properties), id, folder));
      expect(naming.map(([logicalId, { Type }]) => `${logicalId} ${Type}`)).toEqual([]);
    }
  });
});

interface Stepped extends Resource {
  readonly UpdatePolicy: {
    readonly CodeDeployLambdaAliasUpdate: {
      readonly ApplicationName: unknown;
      readonly DeploymentGroupName: { readonly Ref: string };
    };
  };
}

/** By reference, or by an ARN that ends with its name. */
function namesFunction(properties: unknown, id: string, folder: string): boolean {
  const text = JSON.stringify(properties) ?? "";
  const byReference = text.includes(`{"Ref":"${id}"}`) || text.includes(`{"Fn::GetAtt":["${id}","Arn"]}`);
  const byName = new RegExp(`:function:card-issuing-\\w+-${folder}"`);
  // The vault's keys are for its function, whichever alias invoked it.
  return byReference || byName.test(text.replaceAll(/"lambda:SourceFunctionArn":"[^"]*"/g, ""));
}
