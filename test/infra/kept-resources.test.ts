import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { createApp, type EnvironmentStage } from "../../infra/app.ts";
import {
  type KeptResources,
  keptChanges,
  keptResources,
} from "../../infra/commands/deploy/kept-resources.ts";
import { readSettings } from "../../infra/environments.ts";
import { listParts } from "../../infra/stacks/stack-parts.ts";
import { assembled, keepingEnvironments, listed, losses } from "./kept-list.ts";
import { type Resource, synthesized, templatesIn } from "./synthesized.ts";

/**
 * Resources that keep nothing which a deployment cannot make again, but for logs: those of a
 * function that is gone stay where they are.
 */
const stateless = new Set([
  "AWS::ApiGateway::Account",
  "AWS::ApiGateway::Deployment",
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Stage",
  "AWS::ApiGatewayV2::ApiMapping",
  "AWS::Backup::BackupPlan",
  "AWS::Backup::BackupSelection",
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::CodeDeploy::Application",
  "AWS::CodeDeploy::DeploymentGroup",
  "AWS::Events::EventBus",
  "AWS::Events::Rule",
  "AWS::IAM::Policy",
  "AWS::IAM::Role",
  "AWS::Lambda::Alias",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Lambda::EventSourceMapping",
  "AWS::Lambda::Function",
  "AWS::Lambda::Permission",
  "AWS::Lambda::Version",
  "AWS::Logs::LogGroup",
  "AWS::Logs::MetricFilter",
  "AWS::Logs::ResourcePolicy",
  "AWS::Route53::RecordSet",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::Subscription",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::QueuePolicy",
  "AWS::WAFv2::IPSet",
  "AWS::WAFv2::LoggingConfiguration",
  "AWS::WAFv2::WebACL",
  "AWS::WAFv2::WebACLAssociation",
]);

describe.each(keepingEnvironments)("what %s keeps", (name) => {
  const templates = synthesized(name);
  const resources = (template: Template) =>
    Object.entries(template.toJSON().Resources as Record<string, Resource>);

  test("each resource that is kept is listed: `npm run kept` adds new ones", () => {
    const known = listed(name);
    const missing = Object.entries(assembled(name)).flatMap(([stack, kept]) =>
      Object.keys(kept).filter((logicalId) => known[stack]?.[logicalId] === undefined),
    );
    expect(missing).toEqual([]);
  });

  test("the stacks still contain every deployed resource by the same name, and add one index to a table at a time", () => {
    expect(Object.keys(listed(name))).toEqual(
      listParts(readSettings(name)).map((part) => `card-issuing-${name}-${part}`),
    );
    expect(losses(name)).toEqual([]);
  });

  test("every resource type is declared as keeping data or not", () => {
    for (const template of templatesIn(templates)) {
      const keeping = keptResources(template.toJSON());
      const unknown = resources(template).filter(
        ([id, { Type }]) => !(id in keeping) && !stateless.has(Type),
      );
      expect(unknown.map(([id, { Type }]) => `${id}: ${Type}`)).toEqual([]);
    }
  });

  test("the resources of the data stack and the vault outlive them, and so do other stacks' keys and queues where messages matter", () => {
    const outlives = ({ DeletionPolicy, UpdateReplacePolicy }: Resource) =>
      DeletionPolicy === "RetainExceptOnCreate" && UpdateReplacePolicy === "Retain";
    const { data, vault, ...others } = templates;
    const lasting = (id: string, { Type }: Resource, template: Template) =>
      id in keptResources(template.toJSON()) && !/::(Alarm|Role|Function)$/.test(Type);
    for (const stack of [data, vault]) {
      const found = resources(stack).filter(([id, resource]) => lasting(id, resource, stack));
      expect(found.length).toBeGreaterThan(4);
      for (const [id, resource] of found) expect(outlives(resource), id).toBe(true);
    }
    const counting = new Set(["AWS::KMS::Key", "AWS::SQS::Queue"]);
    const found = Object.values(others)
      .flatMap(resources)
      .filter(([, { Type }]) => counting.has(Type));
    expect(found.length).toBeGreaterThan(10);
    for (const [id, resource] of found) expect(outlives(resource), id).toBe(name === "production");
  });

  test("the data stack, the vault and all of production's stacks are protected against deletion", () => {
    const app = createApp([name], { checked: false, context: { "aws:cdk:bundling-stacks": [] } });
    const { stacks } = app.node.findChild(name) as EnvironmentStage;
    for (const [part, { terminationProtection }] of stacks) {
      expect(terminationProtection, part).toBe(["data", "vault"].includes(part) || name === "production");
    }
  });
});

describe("a change of a kept resource", () => {
  const attribute = (AttributeName: string, AttributeType = "S") => ({ AttributeName, AttributeType });
  const index = (IndexName: string, hash = "owner") => ({
    IndexName,
    KeySchema: [{ AttributeName: hash, KeyType: "HASH" }],
    Projection: { ProjectionType: "ALL" },
  });
  const table = (properties: object = {}) => ({
    Type: "AWS::DynamoDB::GlobalTable",
    Properties: {
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      AttributeDefinitions: [attribute("pk"), attribute("owner")],
      GlobalSecondaryIndexes: [index("by-owner")],
      StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      ...properties,
    },
  });
  const kept = (Resources: Readonly<Record<string, unknown>>) => keptResources({ Resources });
  const changes = (before: KeptResources, after: KeptResources) =>
    keptChanges(before, after).map(({ logicalId, what }) => `${logicalId}: ${what}`);
  const before = kept({ Table: table() });
  const with_ = (properties: object) => kept({ Table: table(properties) });

  test("is refused if it changes the layout of what is stored", () => {
    const store = (Value: string) => keptResources({ Resources: {}, Outputs: { StoreLayout: { Value } } });
    expect(changes(store("1"), store("1"))).toEqual([]);
    expect(changes(store("1"), store("2"))).toEqual(['StoreLayout: Value would change from "1" to "2"']);
  });

  test("is accepted if it only adds a resource, an attribute or one index", () => {
    const after = kept({
      Other: table(),
      Table: table({
        AttributeDefinitions: [attribute("pk"), attribute("owner"), attribute("due")],
        GlobalSecondaryIndexes: [index("by-due", "due"), index("by-owner")],
        BillingMode: "PAY_PER_REQUEST",
      }),
    });
    expect(changes(before, after)).toEqual([]);
  });

  test("is rejected if it removes an output that another stack reads", () => {
    const reading = (...names: string[]) =>
      keptResources({
        Resources: {},
        Outputs: Object.fromEntries(names.map((name) => [name, { Value: "" }])),
      });
    const [table, all] = ["PublishOutputRefTable", reading("PublishOutputRefTable", "TableName")];
    expect(changes(all, reading(table))).toEqual([]);
    expect(changes(all, reading("TableName"))).toEqual([`${table}: Output would leave the stack`]);
  });

  test.each(keepingEnvironments)("includes every output of %s that another stack reads", (name) => {
    const templates = synthesized(name);
    const text = JSON.stringify(templatesIn(templates).map((template) => template.toJSON()));
    const read = text.matchAll(/"Fn::GetStackOutput":\{"StackName":"([\w-]+)"[^}]*"OutputName":"(\w+)"/g);
    const kept = assembled(name);
    const outputs = new Set([...read].map(([, stack = "", output = ""]) => `${stack}/${output}`));
    expect(outputs.size).toBeGreaterThan(10);
    for (const path of outputs) {
      const [stack = "", output = ""] = path.split("/");
      expect(kept[stack], path).toHaveProperty(output);
    }
  });

  test.each([
    ["a removed resource", kept({}), "would leave the stack"],
    ["another logical id", kept({ Renamed: table() }), "would leave the stack"],
    ["another type", kept({ Table: { Type: "AWS::S3::Bucket" } }), "would become AWS::S3::Bucket"],
    [
      "another key",
      with_({ KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] }),
      "KeySchema would change from",
    ],
    [
      "a name where there was none",
      with_({ TableName: "table" }),
      'TableName would change from nothing to "table"',
    ],
    [
      "another stream",
      with_({ StreamSpecification: { StreamViewType: "KEYS_ONLY" } }),
      "StreamSpecification would change",
    ],
    ["no stream", with_({ StreamSpecification: undefined }), "StreamSpecification would change"],
    [
      "another type of a key attribute",
      with_({ AttributeDefinitions: [attribute("pk"), attribute("owner", "N")] }),
      'attribute owner would change from "S" to "N"',
    ],
    ["a removed index", with_({ GlobalSecondaryIndexes: [] }), "index by-owner would change from"],
    [
      "an index that carries less",
      with_({
        GlobalSecondaryIndexes: [{ ...index("by-owner"), Projection: { ProjectionType: "KEYS_ONLY" } }],
      }),
      "index by-owner would change from",
    ],
    [
      "two new indexes at once",
      with_({ GlobalSecondaryIndexes: [index("by-owner"), index("a"), index("b")] }),
      "a and b would be new indexes. DynamoDB creates one at a time",
    ],
  ])("is rejected: %s", (_, after, what) => {
    const found = changes(before, after);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(what);
  });

  test.each([
    [
      "AWS::SecretsManager::Secret",
      { GenerateSecretString: { PasswordLength: 64 } },
      { GenerateSecretString: { PasswordLength: 32 } },
    ],
    ["AWS::KMS::Key", { KeySpec: "ECC_NIST_P256" }, { KeySpec: "RSA_2048" }],
    ["AWS::S3::Bucket", {}, { BucketName: "bucket" }],
    ["AWS::SQS::Queue", { QueueName: "queue" }, { QueueName: "other" }],
    ["AWS::ApiGateway::DomainName", { DomainName: "api.one.example" }, { DomainName: "api.other.example" }],
  ])("is rejected: a replaced %s", (Type, Properties, Changed) => {
    const one = kept({ One: { Type, Properties } });
    expect(changes(one, one)).toEqual([]);
    expect(changes(one, kept({ One: { Type, Properties: Changed } }))).toHaveLength(1);
  });
});
