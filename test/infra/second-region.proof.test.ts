import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { addStages, createEmptyApp, EnvironmentStage } from "../../infra/app.ts";
import {
  executionPolicy,
  pipelinePolicy,
  vaultExecutionPolicy,
  vaultTag,
} from "../../infra/constructs/deployer-policies.ts";
import { writesOnlyIn } from "../../infra/constructs/writes-policy.ts";
import { readSettings, Settings } from "../../infra/environments.ts";
import { decide } from "../../infra/local/access/policy.ts";
import { PolicyDocument } from "../../infra/local/access/read-policies.ts";
import { listenerSettings } from "./given-listener-stack.ts";
import { regionThere, servingSettings } from "./given-serving.ts";
import { type Resource, resourcesOf, synthesized } from "./synthesized.ts";

const name = "production";
type Place = Parameters<typeof executionPolicy>[0];
interface Tag {
  readonly Key: string;
  readonly Value: string;
}
const [first, second] = [readSettings(name).region, regionThere];
const replication = `arn:aws:iam::${readSettings(name).account}:role/aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication`;

function withSecondRegion(secondRegion: Partial<Settings["secondRegion"]>) {
  const app = createEmptyApp({ checked: false, context: { "aws:cdk:bundling-stacks": [] } });
  const settings: Settings = {
    ...readSettings(name),
    secondRegion: { region: second, hasReplicas: true, writes: "first", ...secondRegion },
  };
  const stage = new EnvironmentStage(app, name, settings);
  const { stacks, secondRegion: other } = stage;
  if (other === undefined) throw new Error("There is no stack of the second region.");
  const templates = [...stacks.values()].map((stack) => Template.fromStack(stack));
  // A backup vault has a copy of its own.
  const kept = [...stacks].flatMap(([part, stack]) =>
    part === "data" || part === "vault" ? [Template.fromStack(stack)] : [],
  );
  return { region: other.region, keys: Template.fromStack(other), templates, kept };
}

const all = (templates: readonly Template[], type: string): [string, Resource][] =>
  templates.flatMap((template) => resourcesOf(template, type));

describe("an environment with a second region", () => {
  const { region, keys, templates, kept } = withSecondRegion({});
  const tables = all(templates, "AWS::DynamoDB::GlobalTable");

  test("has a replica of each key there that can have one, under the same policy", () => {
    expect(region).toBe(second);
    const primaries = all(kept, "AWS::KMS::Key").filter(([, { Properties }]) => Properties.MultiRegion);
    const replicas = resourcesOf(keys, "AWS::KMS::ReplicaKey");
    const policies = (found: typeof replicas) =>
      found.map(([, { Properties }]) => JSON.stringify(Properties.KeyPolicy)).toSorted();
    expect(policies(replicas)).toEqual(policies(primaries));
    for (const [id, { Properties, DeletionPolicy }] of replicas) {
      expect(DeletionPolicy, id).toMatch(/^Retain/);
      const { StackName, OutputName, Region } = Properties.PrimaryKeyArn["Fn::GetStackOutput"];
      expect(Region, id).toBe(first);
      const outputs = templates.flatMap((template) => Object.entries(template.toJSON().Outputs ?? {}));
      expect(StackName, id).toMatch(/^card-issuing-production-(data|vault)$/);
      expect(Object.fromEntries(outputs)[OutputName], id).toBeDefined();
    }
  });

  test("has a replica of each table there, with its key there, protected and restorable as the first", () => {
    expect(tables).toHaveLength(3);
    for (const [id, { Properties }] of tables) {
      const [one, other] = [first, second].map((wanted) =>
        Properties.Replicas.find(({ Region }: { Region: string }) => Region === wanted),
      );
      const { SSESpecification: firstKey, ...rest } = one;
      const { SSESpecification: secondKey, ...others } = other;
      expect({ ...others, Region: first }, id).toEqual(rest);
      expect(JSON.stringify(secondKey), id).toContain(`:kms:${second}:`);
      expect(JSON.stringify(firstKey), id).not.toContain(second);
      expect(Properties.StreamSpecification, id).toEqual({ StreamViewType: "NEW_AND_OLD_IMAGES" });
    }
  });

  test("lets DynamoDB replicate the vault's table, and nobody else read it, in both regions", () => {
    const [, vault] = tables.find(([id]) => id.startsWith("VaultTable")) ?? [];
    for (const { ResourcePolicy } of vault?.Properties.Replicas ?? []) {
      const [{ Condition }] = ResourcePolicy.PolicyDocument.Statement;
      expect(Condition.StringNotEquals["aws:PrincipalArn"]).toContain(replication);
    }
    expect(vault?.Properties.Replicas).toHaveLength(2);
  });

  test("has the pepper there, under the key's replica", () => {
    const [[, pepper] = []] = all(templates, "AWS::SecretsManager::Secret");
    expect(pepper?.Properties.ReplicaRegions).toEqual([
      { Region: second, KmsKeyId: expect.objectContaining({ "Fn::Join": expect.anything() }) },
    ]);
  });

  test.each([
    ["first", first, second],
    ["second", second, first],
  ] as const)(
    "each function's role writes items in the %s region alone, as the setting says",
    (writes, here, there) => {
      const { templates: made } = withSecondRegion({ writes });
      const [[, policy] = []] = all(made, "AWS::IAM::ManagedPolicy");
      expect(policy?.Properties.PolicyDocument).toEqual(writesOnlyIn(here));
      const { Statement } = PolicyDocument.parse(policy?.Properties.PolicyDocument);
      const mayDo = (action: string, region: string) => {
        const everything = { Effect: "Allow" as const, Action: ["*"], Resource: ["*"], Condition: {} };
        const context = { "aws:RequestedRegion": region };
        return decide([everything, ...Statement], { action, resource: "arn:aws:any", context }).allowed;
      };
      const writing = [
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "BatchWriteItem",
        "PartiQLInsert",
        "PartiQLUpdate",
      ];
      for (const operation of [...writing, "PartiQLDelete"])
        expect([here, there].map((region) => mayDo(`dynamodb:${operation}`, region))).toEqual([true, false]);
      expect(mayDo("dynamodb:GetItem", there)).toBe(true);
      for (const [id, { Properties }] of all(made, "AWS::Lambda::Function")) {
        const [role] = Properties.Role["Fn::GetAtt"];
        const found = all(made, "AWS::IAM::Role").find(([roleId]) => roleId === role);
        const attached = JSON.stringify(found?.[1].Properties.ManagedPolicyArns);
        expect(attached, id).toContain(`:policy/${policy?.Properties.ManagedPolicyName}`);
        expect(Properties.Environment.Variables.HAS_REPLICA, id).toBe("true");
      }
    },
  );

  test("may be made by those who deploy, who are no administrators: there and here, and nowhere else", () => {
    const place = { ...readSettings(name), secondRegion: { region: second } };
    const policyArn = `arn:aws:iam::${place.account}:policy/card-issuing-${name}-writes`;
    for (const policyOf of [executionPolicy, vaultExecutionPolicy]) {
      const may = (action: string, resource: string, context: Record<string, string>, of: Place = place) => {
        const { Statement } = PolicyDocument.parse(structuredClone(policyOf(of)));
        return decide(Statement, { action, resource, context }).allowed;
      };
      const inRegion = (region: string) => ({ "aws:RequestedRegion": region });
      for (const action of ["dynamodb:CreateTableReplica", "kms:CreateKey"])
        expect([first, second, "us-west-2"].map((one) => may(action, "any", inRegion(one)))).toEqual([
          true,
          true,
          false,
        ]);
      expect(may("iam:CreatePolicyVersion", policyArn, {})).toBe(true);
      expect(may("iam:CreatePolicyVersion", policyArn.replace("writes", "boundary"), {})).toBe(false);
      const without = { account: place.account, region: first };
      expect(may("iam:CreatePolicyVersion", policyArn, {}, without)).toBe(false);
      expect(may("kms:CreateKey", "any", inRegion(second), without)).toBe(false);
    }
    const tagged = resourcesOf(keys, "AWS::KMS::ReplicaKey").filter(([, { Properties }]) =>
      Properties.Tags.some(({ Key, Value }: Tag) => Key === vaultTag.key && Value === vaultTag.value),
    );
    expect(tagged.map(([id]) => id)).toContain("NumberKey");
    expect(tagged.map(([id]) => id)).not.toContain("DataKey");
  });

  test("is deployed by a command that may ask the replicas for their streams, and invoke there", () => {
    const place = { ...readSettings(name), secondRegion: { region: second } };
    const may = (action: string, resource: string, of: Place = place) =>
      decide(PolicyDocument.parse(structuredClone(pipelinePolicy(of))).Statement, {
        action,
        resource,
        context: {},
      }).allowed;
    const without = { account: place.account, region: first };
    const arn = (service: string, region: string, resource: string) =>
      `arn:aws:${service}:${region}:${place.account}:${resource}`;
    const table = (region: string) => arn("dynamodb", region, `table/card-issuing-${name}-data-IssuingTable`);
    const certificates = (region: string) =>
      arn("lambda", region, `function:card-issuing-${name}-certificates`);
    expect(may("dynamodb:DescribeTable", table(second))).toBe(true);
    expect(may("dynamodb:DescribeTable", table(first))).toBe(false);
    expect(may("dynamodb:GetItem", table(second))).toBe(false);
    expect([first, second].map((one) => may("lambda:InvokeFunction", certificates(one)))).toEqual([
      true,
      true,
    ]);
    expect(may("lambda:InvokeFunction", certificates(second), without)).toBe(false);
    // IAM allows 6,144 characters.
    for (const policyOf of [executionPolicy, vaultExecutionPolicy])
      expect(JSON.stringify(policyOf(place)).length).toBeLessThan(6_144);
  });

  test("has no replica before the keys are there", () => {
    const { templates: made, keys: there } = withSecondRegion({ hasReplicas: false });
    expect(resourcesOf(there, "AWS::KMS::ReplicaKey").length).toBeGreaterThan(6);
    for (const [, { Properties }] of all(made, "AWS::DynamoDB::GlobalTable"))
      expect(Properties.Replicas).toHaveLength(1);
  });
});

test("without the setting, nothing is of a second region", () => {
  for (const [, { Properties }] of resourcesOf(synthesized(name), "AWS::Lambda::Function"))
    expect(Properties.Environment.Variables.HAS_REPLICA).toBeUndefined();
  expect(resourcesOf(synthesized(name), "AWS::IAM::ManagedPolicy")).toEqual([]);
});

describe("a second region that serves", () => {
  const inRegion = (region: string) => listenerSettings({ certificateSecretArn: secretIn(region) }).listener;
  const secretIn = (region: string) =>
    `arn:aws:secretsmanager:${region}:${readSettings(name).account}:secret:listener-AbCdEf`;
  const withListeners = (writes: "first" | "second", listenerThere = second): Settings => {
    const { secondRegion, ...settings } = servingSettings(name, writes);
    const serves = { ...secondRegion?.serves, listener: inRegion(listenerThere) };
    return { ...settings, listener: inRegion(first), secondRegion: { ...secondRegion, serves } } as Settings;
  };
  const madeFor = (writes: "first" | "second") => {
    const app = createEmptyApp({ checked: false, context: { "aws:cdk:bundling-stacks": [] } });
    const stages = addStages(app, withListeners(writes));
    const [here = [], there = []] = stages.map((stage) =>
      [...stage.stacks.values()].map((stack) => Template.fromStack(stack)),
    );
    return { here, there };
  };
  const writing = { first: madeFor("first"), second: madeFor("second") };
  const { here, there } = writing.first;

  test("has certificates of its own region", () => {
    const { concurrency: _, ...rest } = withListeners("first");
    const faultsOf = (given: object) =>
      Settings.safeParse(given).error?.issues.map(({ path }) => path.join("."));
    expect(faultsOf(rest)).toBeUndefined();
    const { secondRegion } = withListeners("first", first);
    expect(faultsOf({ ...rest, secondRegion })).toEqual(["secondRegion.serves"]);
    const serves = { ...withListeners("first").secondRegion?.serves };
    const platformCertificateArn = rest.platformHost.certificateArn;
    const wrong = { ...secondRegion, serves: { ...serves, platformCertificateArn } };
    expect(faultsOf({ ...rest, secondRegion: wrong })).toEqual(["secondRegion.serves"]);
  });

  test("makes nothing there that is kept or replicated", () => {
    const types = [
      "AWS::DynamoDB::GlobalTable",
      "AWS::SecretsManager::Secret",
      "AWS::IAM::ManagedPolicy",
      "AWS::Route53::RecordSet",
    ];
    for (const type of types) {
      expect(all(here, type), type).not.toEqual([]);
      expect(all(there, type), type).toEqual([]);
    }
    // The key of the logs is each region's own.
    expect(all(there, "AWS::KMS::Key").map(([id]) => id.replace(/[0-9A-F]{8}$/, ""))).toEqual(["LogKey"]);
  });

  test("gives nothing a name that is another's: roles, policies, dashboards and buckets are one for all regions", () => {
    const globals = [
      "Role/RoleName",
      "ManagedPolicy/ManagedPolicyName",
      "Dashboard/DashboardName",
      "Bucket/BucketName",
    ];
    const services = { Role: "IAM", ManagedPolicy: "IAM", Dashboard: "CloudWatch", Bucket: "S3" };
    const named = globals.flatMap((one) => {
      const [kind = "", property = ""] = one.split("/");
      const type = `AWS::${services[kind as keyof typeof services]}::${kind}`;
      return all([...here, ...there], type).flatMap(([, { Properties }]) => Properties[property] ?? []);
    });
    expect(named.length).toBeGreaterThan(5);
    expect(named).toEqual([...new Set(named)]);
  });

  test("reads nothing of the first region, and grants nothing of it", () => {
    for (const template of there) expect(JSON.stringify(template.toJSON())).not.toContain(first);
    for (const [id, { Properties }] of all(there, "AWS::Lambda::Function")) {
      const [role] = Properties.Role["Fn::GetAtt"];
      const found = all(there, "AWS::IAM::Role").find(([roleId]) => roleId === role);
      expect(JSON.stringify(found?.[1].Properties.ManagedPolicyArns), id).toContain(
        `card-issuing-${name}-writes`,
      );
    }
  });

  test("lets no role write items, a listener's neither, that the policy of who writes does not bind", () => {
    for (const templates of [here, there]) {
      const writers = all(templates, "AWS::IAM::Policy").flatMap(([, { Properties }]) =>
        /"dynamodb:(Put|Update|Delete)Item"/.test(JSON.stringify(Properties.PolicyDocument))
          ? Properties.Roles.map(({ Ref }: { Ref: string }) => Ref)
          : [],
      );
      expect(writers).toContainEqual(expect.stringMatching(/^TaskTaskRole/));
      expect(writers.length).toBeGreaterThan(15);
      for (const [id, { Properties }] of all(templates, "AWS::IAM::Role"))
        if (writers.includes(id))
          expect(JSON.stringify(Properties.ManagedPolicyArns), id).toContain(`card-issuing-${name}-writes`);
    }
  });

  test("its vault and its signer may use the keys, whose policies name both regions' roles", () => {
    const roles = all(there, "AWS::IAM::Role").flatMap(([, { Properties }]) => Properties.RoleName ?? []);
    expect(roles.toSorted()).toEqual(
      ["certificates", "vault"].map((one) => `card-issuing-${name}-${one}-${second}`),
    );
    const policies = JSON.stringify(
      all(here, "AWS::KMS::Key").map(([, { Properties }]) => Properties.KeyPolicy),
    );
    for (const role of roles) expect(policies).toContain(`role/${role}`);
  });

  test.each(["first", "second"] as const)(
    "works by itself, and tells of alarms, where it writes: %s",
    (writes) => {
      const { here, there } = writing[writes];
      const [active, waiting] = writes === "first" ? [here, there] : [there, here];
      const mappings = (of: Template[]) =>
        all(of, "AWS::Lambda::EventSourceMapping").map(([, { Properties }]) => Properties.Enabled ?? true);
      const rules = (of: Template[]) =>
        all(of, "AWS::Events::Rule").flatMap(([, { Properties }]) =>
          Properties.ScheduleExpression ? Properties.State : [],
        );
      const alarms = (of: Template[]) =>
        all(of, "AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties.ActionsEnabled ?? true);
      for (const [of, expected] of [
        [active, true],
        [waiting, false],
      ] as const) {
        expect(new Set(mappings(of))).toEqual(new Set([expected]));
        expect(rules(of)).toEqual([expected ? "ENABLED" : "DISABLED"]);
        expect(new Set(alarms(of))).toEqual(new Set([expected]));
      }
    },
  );
});
