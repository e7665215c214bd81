import { App } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import {
  aliasesIn,
  rolledBack,
  TemplateStack,
  versionBefore,
} from "../../infra/commands/rollback/rollback.ts";
import { vaultCallers } from "../../shared/contract/vault.ts";
import { type Resource, synthesized } from "./synthesized.ts";

const templates = synthesized("production");
const all = { authorizer: templates.api, "processor-events": templates.messaging, vault: templates.vault };

describe.each(Object.entries(all))("a rollback of %s", (folder, stack) => {
  const template = stack.toJSON() as { Resources: Record<string, Resource> };
  const aliases = aliasesIn(template, `card-issuing-production-${folder}`);

  test("moves all of its aliases", () => {
    const expected =
      folder === "vault" ? Object.keys(vaultCallers).filter((name) => name !== "sandbox") : ["live"];
    expect(aliases.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  });

  test("changes nothing else in the stack, and goes without steps", () => {
    const versions = new Map(aliases.map(({ logicalId }) => [logicalId, "6"]));
    const back = rolledBack(template, versions) as typeof template;
    for (const [logicalId, resource] of Object.entries(template.Resources)) {
      if (!versions.has(logicalId)) {
        expect(back.Resources[logicalId]).toEqual(resource);
        continue;
      }
      const { UpdatePolicy, ...rest } = resource as Resource & { UpdatePolicy: unknown };
      expect(UpdatePolicy).toBeDefined();
      const Properties = { ...rest.Properties, FunctionVersion: "6" };
      expect(back.Resources[logicalId]).toEqual({ ...rest, Properties });
    }
    expect({ ...back, Resources: {} }).toEqual({ ...template, Resources: {} });
  });

  test("deploys that template as it is", () => {
    const app = new App({ analyticsReporting: false, builtinCloudFormationValidation: false });
    const deployed = new TemplateStack(app, folder, {}, template);
    expect(app.synth().getStackByName(deployed.stackName).template).toEqual(template);
  });
});

test("the version before is the newest of the older ones, and a failed one leaves a gap", () => {
  expect(versionBefore(["1", "9", "7", "12"], "12")).toBe("9");
  expect(versionBefore(["1", "9", "10"], "10")).toBe("9");
  expect(versionBefore(["3"], "3")).toBeUndefined();
});
