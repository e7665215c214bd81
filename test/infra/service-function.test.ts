import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { environmentNames } from "../../infra/environments.ts";
import { type Resource, resourcesOf, type Synthesized, synthesized } from "./synthesized.ts";

const read = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"];
const readWrite = [
  ...read,
  "dynamodb:ConditionCheckItem",
  "dynamodb:DeleteItem",
  "dynamodb:PutItem",
  "dynamodb:UpdateItem",
];
const issuing = ["IssuingTable", "IssuingTable/index/by-collection", "IssuingTable/index/by-due"];
const useKey = ["kms:Decrypt", "kms:DescribeKey"];
const useKeyToWrite = [
  ...useKey,
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];
const everyFunction = [
  ...on("own log", ["logs:CreateLogStream", "logs:PutLogEvents"]),
  ...on("*", ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]),
];
const readAccounts = [...on("AccountsTable", read), ...on("DataKey via dynamodb", useKey)];
const changeIssuing = [...on(issuing, readWrite), ...on("DataKey via dynamodb", useKeyToWrite)];
const readPepper = [
  ...on("KeyPepper", ["secretsmanager:GetSecretValue"]),
  "kms:Decrypt on DataKey via secretsmanager",
];

const changeAccounts = [...changeIssuing, ...on("AccountsTable", readWrite), ...readPepper];

/** All that each function may do, beyond its log and traces: a right that is not here fails the test. */
const rights: Record<string, string[]> = {
  authorizer: [...readAccounts, ...readPepper],
  cardholders: changeIssuing,
  cards: [...changeIssuing, ...readAccounts],
  wallets: [...changeIssuing, ...readAccounts],
  otp: changeIssuing,
  sandbox: [...changeIssuing, ...readAccounts],
  operator: changeAccounts,
  account: changeAccounts,
  deadlines: [...changeIssuing, ...readAccounts],
  "processor-events": [
    ...changeIssuing,
    ...readAccounts,
    ...on("ProcessorEventsQueue", [
      "sqs:ChangeMessageVisibility",
      "sqs:DeleteMessage",
      "sqs:GetQueueAttributes",
      "sqs:GetQueueUrl",
      "sqs:ReceiveMessage",
    ]),
  ],
  "outbox-relay": [
    ...on("IssuingTable stream", [
      "dynamodb:DescribeStream",
      "dynamodb:GetRecords",
      "dynamodb:GetShardIterator",
      "dynamodb:ListStreams",
    ]),
    ...on("DataKey via dynamodb", useKey),
    ...on("EventBus", ["events:PutEvents"]),
    ...on("OutboxRelayGivenUpQueue", ["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:SendMessage"]),
  ],
};

const common = ["ENVIRONMENT_NAME", "LOG_LEVEL", "NODE_OPTIONS", "POWERTOOLS_SERVICE_NAME"];
const changingAccounts = [
  "ACCOUNTS_TABLE",
  "ALLOWED_RECEIVERS",
  "CUSTODY_KEYS",
  "DNS_SERVERS",
  "ISSUING_TABLE",
  "KEY_PEPPER_SECRET_ID",
];
const variables: Record<string, string[]> = {
  authorizer: ["ACCOUNTS_TABLE", "DNS_SERVERS", "KEY_PEPPER_SECRET_ID"],
  cardholders: ["ISSUING_TABLE", "KYC_BASE_URL"],
  cards: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  wallets: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  otp: ["ALLOWED_RECEIVERS", "DNS_SERVERS", "ISSUING_TABLE"],
  sandbox: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  operator: changingAccounts,
  account: changingAccounts,
  deadlines: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  "processor-events": ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  "outbox-relay": ["EVENT_BUS_NAME"],
};

describe.each(environmentNames)("functions of %s", (name) => {
  const templates = synthesized(name);
  const functions = resourcesOf(templates.service, "AWS::Lambda::Function");

  test("they are those of the table, but for the sandbox in production", () => {
    const expected = Object.keys(rights).filter((folder) => name !== "production" || folder !== "sandbox");
    expect(functions.map(([, { Properties }]) => folderOf(Properties)).toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  describe.each(
    functions.map(([id, resource]) => ({ folder: folderOf(resource.Properties), id, ...resource })),
  )("$folder", ({ folder, Properties }) => {
    test("may do what it needs, and nothing else", () => {
      const granted = rightsOf(
        templates,
        Properties.Role["Fn::GetAtt"][0],
        Properties.LoggingConfig.LogGroup.Ref,
      );
      expect(granted).toEqual([...new Set([...everyFunction, ...(rights[folder] ?? [])])].toSorted());
    });

    test("has the variables that it reads", () => {
      expect(Object.keys(Properties.Environment.Variables).toSorted()).toEqual(
        [...common, ...(variables[folder] ?? [])].toSorted(),
      );
    });

    test("runs on Node 24, arm64, traced, with a log of its own that ends and is encrypted", () => {
      expect(Properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        Handler: "handler.handler",
        TracingConfig: { Mode: "Active" },
      });
      const log =
        templates.service.findResources("AWS::Logs::LogGroup")[Properties.LoggingConfig.LogGroup.Ref];
      expect(log?.Properties.RetentionInDays).toBeGreaterThan(0);
      expect(log?.Properties.KmsKeyId).toEqual({ "Fn::GetAtt": ["LogKeyE83D0C1B", "Arn"] });
    });
  });

  test("none shares its role or its log with another", () => {
    for (const property of [
      ({ Properties }: Resource) => Properties.Role["Fn::GetAtt"][0],
      ({ Properties }: Resource) => Properties.LoggingConfig.LogGroup.Ref,
    ]) {
      expect(new Set(functions.map(([, resource]) => property(resource))).size).toBe(functions.length);
    }
  });
});

test("the code sends no command that is not granted: locally nothing else would notice", () => {
  const granted: Record<string, string> = {
    GetCommand: "dynamodb:GetItem",
    BatchGetCommand: "dynamodb:BatchGetItem",
    QueryCommand: "dynamodb:Query",
    PutCommand: "dynamodb:PutItem",
    UpdateCommand: "dynamodb:UpdateItem",
    DeleteCommand: "dynamodb:DeleteItem",
    TransactWriteCommand: "dynamodb:ConditionCheckItem",
    PutEventsCommand: "events:PutEvents",
    GetSecretValueCommand: "secretsmanager:GetSecretValue",
  };
  const sent = ["functions", "shared"]
    .flatMap((room) => globSync(`${room}/**/*.ts`))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/import \{([^}]*)\} from "@aws-sdk\//g)])
    .flatMap((match) => match[1]?.match(/\w+Command\b/g) ?? []);
  expect(sent).toContain("TransactWriteCommand");
  expect([...new Set(sent)].filter((command) => granted[command] === undefined)).toEqual([]);
  const everyRight = new Set(
    Object.values(rights)
      .flat()
      .map((right) => right.split(" ")[0]),
  );
  expect(Object.values(granted).filter((action) => !everyRight.has(action))).toEqual([]);
});

test("the DNS servers are a parameter of the local environment alone", () => {
  const dnsServersOf = (name: (typeof environmentNames)[number]) =>
    resourcesOf(synthesized(name).service, "AWS::Lambda::Function").find(([id]) =>
      id.startsWith("Authorizer"),
    )?.[1].Properties.Environment.Variables.DNS_SERVERS;
  expect(dnsServersOf("local")).toEqual({ Ref: "DnsServers" });
  expect(dnsServersOf("staging")).toBe("");
  expect(dnsServersOf("production")).toBe("");
});

function folderOf(properties: Resource["Properties"]): string {
  return properties.Environment.Variables.POWERTOOLS_SERVICE_NAME;
}

function on(resources: string | string[], actions: string[]): string[] {
  return [resources].flat().flatMap((resource) => actions.map((action) => `${action} on ${resource}`));
}

/** A role's rights as sentences: `dynamodb:Query on IssuingTable/index/by-due`. */
function rightsOf({ data, service }: Synthesized, roleId: string, logId: string): string[] {
  const dataOutputs: Record<string, { Value: unknown }> = data.toJSON().Outputs;
  const role = service.findResources("AWS::IAM::Role")[roleId];
  expect(role?.Properties.ManagedPolicyArns).toBeUndefined();
  expect(role?.Properties.Policies).toBeUndefined();

  const nameOf = (resource: unknown): string => {
    if (typeof resource === "string") return resource;
    const {
      "Fn::Join": join,
      "Fn::GetAtt": attribute,
      "Fn::GetStackOutput": output,
      Ref,
    } = resource as Intrinsic;
    if (join) return join[1].map(nameOf).join("");
    if (output) return nameOf(dataOutputs[output.OutputName]?.Value);
    const id = attribute?.[0] ?? Ref ?? "";
    if (id === logId) return "own log";
    return id.replace(/[0-9A-F]{8}$/, "") + (attribute?.[1] === "StreamArn" ? " stream" : "");
  };
  const sentences = resourcesOf(service, "AWS::IAM::Policy")
    .filter(([, { Properties }]) => Properties.Roles.some((attached: Intrinsic) => attached.Ref === roleId))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Statement[])
    .flatMap(({ Effect, Action, Resource, Condition }) => {
      expect(Effect).toBe("Allow");
      const via = Condition?.StringEquals["kms:ViaService"]?.split(".")[0];
      return [Action]
        .flat()
        .flatMap((action) =>
          [Resource].flat().map((resource) => `${action} on ${nameOf(resource)}${via ? ` via ${via}` : ""}`),
        );
    });
  return [...new Set(sentences)].toSorted();
}

interface Intrinsic {
  readonly "Fn::Join"?: [string, unknown[]];
  readonly "Fn::GetAtt"?: [string, string];
  readonly "Fn::GetStackOutput"?: { readonly OutputName: string };
  readonly Ref?: string;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: { readonly StringEquals: Record<string, string> };
}
