import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { createApp, createDeployerApp, type EnvironmentStage } from "../../infra/app.ts";
import {
  boundaryPolicy,
  executionPolicy,
  type PolicyDocument,
  pipelinePolicy,
  steppedFunctions,
  toIamPrefixes,
  vaultExecutionPolicy,
} from "../../infra/constructs/deployer-policies.ts";
import { readSettings } from "../../infra/environments.ts";
import { decide, type Statement } from "../../infra/local/access/policy.ts";
import { PolicyDocument as Parsed } from "../../infra/local/access/read-policies.ts";
import { synthesizedListener } from "./given-listener-stack.ts";
import { type Resource, resourcesOf, synthesized } from "./synthesized.ts";

const deployed = ["staging", "production"] as const;

/** Whether the policy's unconditional statements, and those of its own region, allow it. */
function allows(document: PolicyDocument, action: string, resource: string, context = {}): boolean {
  const { Statement } = Parsed.parse(structuredClone(document)) as { Statement: Statement[] };
  return decide(Statement, { action, resource, context }).allowed;
}

describe.each(deployed)("those who deploy %s", (name) => {
  const { account, region } = readSettings(name);
  const templates = synthesized(name);
  const here = { "aws:RequestedRegion": region };
  const bound = { "iam:PermissionsBoundary": `arn:aws:iam::${account}:policy/card-issuing-boundary` };
  const general = executionPolicy({ account, region });
  const ofVault = vaultExecutionPolicy({ account, region });
  const role = (ending: string) => `arn:aws:iam::${account}:role/card-issuing-${name}-${ending}`;
  const vault = `arn:aws:lambda:${region}:${account}:function:card-issuing-${name}-vault`;

  test("may make whatever is in the templates", () => {
    for (const [part, template] of Object.entries(templates)) {
      const [document, ending] = part === "vault" ? [ofVault, "vault"] : [general, "cards"];
      const types = Object.values<Resource>(template.toJSON().Resources).map(({ Type }) => Type);
      for (const type of new Set(types)) {
        const [, service = ""] = type.split("::");
        const actions =
          service === "IAM" ? ["iam:CreateRole"] : toIamPrefixes(service).map((one) => `${one}:Any`);
        const resource = { IAM: role(ending), Lambda: ending === "vault" ? vault : "any" }[service] ?? "any";
        for (const action of actions)
          expect(allows(document, action, resource, { ...here, ...bound }), `${part} ${type}`).toBe(true);
      }
    }
  });

  test("are no administrators: nothing elsewhere, no user, and no role without the boundary", () => {
    for (const document of [general, ofVault]) {
      for (const action of [
        "iam:CreateUser",
        "iam:CreatePolicyVersion",
        "sts:AssumeRole",
        "organizations:Any",
      ])
        expect(allows(document, action, "any", here), action).toBe(false);
      expect(allows(document, "dynamodb:Any", "any", { "aws:RequestedRegion": "us-west-2" })).toBe(false);
      for (const action of ["iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy"]) {
        expect(allows(document, action, role("vault-any")), action).toBe(false);
        expect(allows(document, action, `arn:aws:iam::${account}:role/Admin`, bound), action).toBe(false);
      }
      expect(allows(document, "iam:DeleteRolePermissionsBoundary", role("vault"))).toBe(false);
      expect(
        allows(document, "iam:PassRole", role("vault"), { "iam:PassedToService": "ec2.amazonaws.com" }),
      ).toBe(false);
    }
  });

  test("change the vault only in its own stack, whose role changes nothing else", () => {
    const table = `arn:aws:dynamodb:${region}:${account}:table/card-issuing-${name}-vault-VaultTable1`;
    const key = { ...here, "aws:ResourceTag/part": "vault" };
    const cases = [
      ["lambda:UpdateFunctionCode", vault, here],
      ["lambda:UpdateAlias", `${vault}:listener`, here],
      ["iam:PutRolePolicy", role("vault"), bound],
      ["dynamodb:PutResourcePolicy", table, here],
      ["kms:PutKeyPolicy", "any", key],
    ] as const;
    for (const [action, resource, context] of cases) {
      expect(allows(general, action, resource, context), action).toBe(false);
      expect(allows(ofVault, action, resource, context), action).toBe(true);
    }
    const other = `arn:aws:lambda:${region}:${account}:function:card-issuing-${name}-cards`;
    expect(allows(general, "lambda:UpdateFunctionCode", other, here)).toBe(true);
    expect(allows(ofVault, "lambda:UpdateFunctionCode", other, here)).toBe(false);
    // CloudFormation gives a stack's tags to its keys.
    const app = createApp([name], { checked: false, context: { "aws:cdk:bundling-stacks": [] } });
    const { stacks } = app.node.findChild(name) as EnvironmentStage;
    for (const [part, stack] of stacks)
      expect(stack.tags.tagValues().part, part).toBe(part === "vault" ? "vault" : undefined);
    expect(templates.vault.toJSON().Parameters.BootstrapVersion.Default).toBe("/cdk-bootstrap/vault/version");
  });

  test("delete earlier versions with the command, of the functions that take over in steps, but no function", () => {
    const document = pipelinePolicy({ account, region });
    const stepped = resourcesOf(templates, "AWS::Lambda::Version").map(([id]) =>
      id.replace(/(Function)?CurrentVersion.*/, ""),
    );
    expect(stepped.toSorted()).toEqual(["Authorizer", "ProcessorEvents", "Vault"]);
    expect(steppedFunctions).toEqual(["authorizer", "processor-events", "vault"]);
    for (const folder of steppedFunctions) {
      const arn = `arn:aws:lambda:${region}:${account}:function:card-issuing-${name}-${folder}`;
      for (const action of ["lambda:DeleteFunction", "lambda:DeleteProvisionedConcurrencyConfig"]) {
        expect(allows(document, action, `${arn}:7`), action).toBe(true);
        expect(allows(document, action, arn), action).toBe(false);
        expect(allows(document, action, `${arn.replace(folder, "cards")}:7`), action).toBe(false);
      }
      for (const action of ["ListVersionsByFunction", "ListAliases", "ListProvisionedConcurrencyConfigs"])
        expect(allows(document, `lambda:${action}`, arn), action).toBe(true);
    }
    expect(allows(document, "cloudtrail:GetEventSelectors", "any")).toBe(true);
  });

  test("every role has the boundary, which allows all that its policies do", () => {
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::IAM::Role"))
      expect(JSON.stringify(Properties.PermissionsBoundary), id).toContain(":policy/card-issuing-boundary");
    const actions = resourcesOf(templates, "AWS::IAM::Policy")
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
      .flatMap(({ Action }) => Action as string | string[]);
    for (const action of new Set(actions)) expect(allows(boundaryPolicy(), action, "any"), action).toBe(true);
    for (const action of ["iam:PassRole", "sts:AssumeRole", "lambda:UpdateFunctionCode", "kms:PutKeyPolicy"])
      expect(allows(boundaryPolicy(), action, "any"), action).toBe(false);
  });
});

test("the listener's roles have the boundary, and all that they need is within it", () => {
  const { listener } = synthesizedListener();
  for (const [id, { Properties }] of resourcesOf(listener, "AWS::IAM::Role"))
    expect(JSON.stringify(Properties.PermissionsBoundary), id).toContain(":policy/card-issuing-boundary");
  const actions = resourcesOf(listener, "AWS::IAM::Policy")
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .flatMap(({ Action }) => Action as string | string[]);
  expect(actions).toContain("secretsmanager:GetSecretValue");
  for (const action of new Set(actions)) expect(allows(boundaryPolicy(), action, "any"), action).toBe(true);
});

test("they are synthesized as an administrator does it", () => {
  const outdir = mkdtempSync(path.join(tmpdir(), "deployer-"));
  const { stacks } = createDeployerApp({ outdir }).synth();
  expect(stacks.map(({ stackName }) => stackName)).toEqual(deployed.map(() => "card-issuing-deployer"));
});

test("each policy fits: IAM allows 6,144 characters", () => {
  const stacks = createDeployerApp().node.children;
  for (const stack of stacks.filter((one) => deployed.includes(one.node.id as never))) {
    const policies = resourcesOf(Template.fromStack(stack as never), "AWS::IAM::ManagedPolicy");
    expect(policies).toHaveLength(3);
    for (const [id, { Properties }] of policies)
      expect(JSON.stringify(Properties.PolicyDocument).length, id).toBeLessThan(6_144);
  }
});
