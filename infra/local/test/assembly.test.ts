import { afterAll, describe, expect, it } from "vitest";
import { readAssembly } from "../assembly.ts";
import { ignoredTypes, type Known, supportedTypes } from "../supported.ts";
import { code, givenAssembly, removeTemporaryDirectories, type StackFixture } from "./given-assembly.ts";

afterAll(removeTemporaryDirectories);

const options = { parameters: {}, queueEndpoint: "http://127.0.0.1:4100" };
const fn = (variables: Record<string, unknown>) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Code: code("fn"),
    Handler: "index.handler",
    Runtime: "nodejs24.x",
    Environment: { Variables: variables },
  },
});
const queue = { Type: "AWS::SQS::Queue", Properties: {} };

/** What the function's variables resolve to, within one stack. */
function variablesOf(
  variables: Record<string, unknown>,
  more: Partial<StackFixture> = {},
  parameters = {},
): unknown {
  const resources = { Fn: fn(variables), Queue: queue, ...more.Resources };
  const directory = givenAssembly({ service: { ...more, Resources: resources } }, { fn: "" });
  const assembly = readAssembly(directory, { ...options, parameters });
  return assembly.ofType("AWS::Lambda::Function")[0]?.properties.Environment;
}

function refusalOf(stack: StackFixture, parameters = {}): string {
  try {
    readAssembly(givenAssembly({ service: stack }), { ...options, parameters });
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  throw new Error("the template was accepted");
}

describe("the template reader", () => {
  it("resolves each intrinsic that the CDK writes", () => {
    const variables = {
      JOIN: { "Fn::Join": ["/", ["a", { Ref: "AWS::Region" }, { Ref: "AWS::AccountId" }]] },
      PARTITION: { Ref: "AWS::Partition" },
      URL: { Ref: "Queue" },
      ARN: { "Fn::GetAtt": ["Queue", "Arn"] },
      SELECT: { "Fn::Select": [1, { "Fn::Split": [":", { "Fn::GetAtt": "Queue.Arn" }] }] },
      PARAMETER: { Ref: "Dns" },
      DEFAULT: { Ref: "Fallback" },
    };
    const more = {
      Parameters: { Dns: { Type: "String" }, Fallback: { Type: "String", Default: "d" } },
      Resources: {},
    };
    expect(variablesOf(variables, more, { Dns: "127.0.0.1:53" })).toEqual({
      Variables: {
        JOIN: "a/eu-west-1/111122223333",
        PARTITION: "aws",
        URL: "http://127.0.0.1:4100/111122223333/service-Queue",
        ARN: "arn:aws:sqs:eu-west-1:111122223333:service-Queue",
        SELECT: "aws",
        PARAMETER: "127.0.0.1:53",
        DEFAULT: "d",
      },
    });
  });

  it("follows references between stacks", () => {
    const data = {
      Resources: { Table: { Type: "AWS::DynamoDB::GlobalTable", Properties: { TableName: "issuing" } } },
      Outputs: {
        Name: { Value: { Ref: "Table" } },
        Stream: { Value: { "Fn::GetAtt": ["Table", "StreamArn"] } },
      },
    };
    const output = (OutputName: string) => ({
      "Fn::GetStackOutput": { StackName: "data", Region: "eu-west-1", OutputName },
    });
    const variables = { TABLE: output("Name"), STREAM: output("Stream") };
    const directory = givenAssembly({ data, service: { Resources: { Fn: fn(variables) } } }, { fn: "" });
    const assembly = readAssembly(directory, options);
    const [resource] = assembly.ofType("AWS::Lambda::Function");
    const stream = "arn:aws:dynamodb:eu-west-1:111122223333:table/issuing/stream/local";
    expect(resource?.properties.Environment).toEqual({ Variables: { TABLE: "issuing", STREAM: stream } });
    expect(assembly.byArn("arn:aws:dynamodb:eu-west-1:111122223333:table/issuing")?.logicalId).toBe("Table");
    expect(assembly.outputs.Name).toBe("issuing");
  });

  it("finds a function's code through the asset manifest", () => {
    const directory = givenAssembly(
      { service: { Resources: { Fn: fn({}) } } },
      { fn: "export const a = 1;" },
    );
    const assembly = readAssembly(directory, options);
    const [resource] = assembly.ofType("AWS::Lambda::Function");
    expect(resource && assembly.assetPath(resource)).toBe(`${directory}/asset.fn`);
  });

  it("gives a multi-Region key the id that KMS gives it, the same in each region", () => {
    const key = (MultiRegion?: boolean) => ({
      Type: "AWS::KMS::Key",
      Properties: MultiRegion === undefined ? {} : { MultiRegion },
    });
    const Resources = { Kept: key(true), Logs: key(), Others: key(false) };
    const assembly = readAssembly(givenAssembly({ service: { Resources } }), options);
    const ids = assembly.ofType("AWS::KMS::Key").map(({ physicalName }) => physicalName);
    expect(ids).toEqual([
      expect.stringMatching(/^mrk-[0-9a-f]{32}$/),
      ...Array(2).fill(expect.stringMatching(/^[0-9a-z]{36}$/)),
    ]);
  });

  it("gives the same physical names at every start", () => {
    const directory = givenAssembly({
      service: { Resources: { Api: { Type: "AWS::ApiGateway::RestApi", Properties: {} } } },
    });
    const nameOf = () => readAssembly(directory, options).ofType("AWS::ApiGateway::RestApi")[0]?.physicalName;
    expect(nameOf()).toMatch(/^[0-9a-z]{10}$/);
    expect(nameOf()).toBe(nameOf());
  });

  it.each([
    "AWS::ElastiCache::ServerlessCache",
    "AWS::DynamoDB::Table",
    "AWS::Scheduler::Schedule",
    "AWS::CloudWatch::CompositeAlarm",
    "AWS::ApiGateway::Method",
  ])("refuses a type it does not know, naming the resource: %s", (Type) => {
    expect(refusalOf({ Resources: { One: { Type } } })).toContain(
      `service/One (${Type}): the type is not known`,
    );
  });

  it("passes nothing over without saying why, and nothing that it also runs", () => {
    const reasons = (known: Known): string[] =>
      typeof known === "string" ? [known] : known === true ? [] : Object.values(known).flatMap(reasons);
    const all = [...Object.values(ignoredTypes), ...Object.values(supportedTypes).flatMap(reasons)];
    expect(all.filter((reason) => !/^[A-Z].{15,}\.$/.test(reason))).toEqual([]);
    expect(Object.keys(ignoredTypes).filter((type) => type in supportedTypes)).toEqual([]);
  });

  it("rejects unknown properties at any depth, and lists every fault", () => {
    const refusal = refusalOf({
      Resources: {
        Queue: { Type: "AWS::SQS::Queue", Properties: { Colour: "red", FifoQueue: true } },
        Plan: {
          Type: "AWS::ApiGateway::UsagePlan",
          Properties: { ApiStages: [{ ApiId: "a", Stage: "s", Throttle: { "/cards/GET": {} } }] },
        },
        Rule: {
          Type: "AWS::Events::Rule",
          Properties: { Targets: [{ Arn: "a", Id: "b", InputPath: "$.detail", EcsParameters: {} }] },
        },
      },
    });
    expect(refusal).toContain("service/Queue (AWS::SQS::Queue): Colour is not known");
    expect(refusal).toContain("service/Queue (AWS::SQS::Queue): FifoQueue is not known");
    expect(refusal).toContain(
      "service/Plan (AWS::ApiGateway::UsagePlan): ApiStages.Throttle./cards/GET is not known",
    );
    expect(refusal).toContain("service/Rule (AWS::Events::Rule): Targets.EcsParameters is not known");
    expect(refusal).toContain("service/Rule (AWS::Events::Rule): Targets.InputPath is not known");
  });

  it.each([
    ["an unknown intrinsic", { "Fn::Cidr": ["10.0.0.0/8", 1, 1] }, "Fn::Cidr is not known"],
    ["a reference to nothing", { Ref: "Nowhere" }, "Nowhere is not defined"],
    ["an attribute it does not know", { "Fn::GetAtt": ["Queue", "Colour"] }, "Queue.Colour is not known"],
    ["a missing stack", { "Fn::GetStackOutput": { StackName: "s", OutputName: "o" } }, "there is no stack s"],
    ["an export", { "Fn::ImportValue": "e" }, "Fn::ImportValue is not known"],
    ["a substitution", { "Fn::Sub": "a" }, "Fn::Sub is not known"],
    ["a condition", { "Fn::If": ["a", "b", "c"] }, "Fn::If is not known"],
    ["a mapping", { "Fn::FindInMap": ["m", "a", "b"] }, "Fn::FindInMap is not known"],
    ["a dynamic reference", "{{resolve:ssm:name}}", "a dynamic reference"],
    ["a parameter without a value", { Ref: "Dns" }, "the parameter Dns has no value"],
  ])("refuses %s", (_name, value, message) => {
    const stack = {
      Parameters: { Dns: { Type: "String" } },
      Resources: { Fn: fn({ VALUE: value }), Queue: queue },
    };
    expect(refusalOf(stack)).toContain(`service/Fn (AWS::Lambda::Function): `);
    expect(refusalOf(stack)).toContain(message);
  });

  it("passes a policy's own Condition through", () => {
    const policy = { Condition: { Bool: { secure: "false" } } };
    expect(variablesOf({ POLICY: policy })).toEqual({ Variables: { POLICY: policy } });
  });
});
