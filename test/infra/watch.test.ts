import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createApp } from "../../infra/app.ts";
import { readAssembly } from "../../infra/local/assembly.ts";
import { createEventBus } from "../../infra/local/events/event-bus.ts";
import type { TraceEntry } from "../../infra/local/interfaces.ts";
import { attacksOn, type Call } from "./attacks.ts";

const directory = mkdtempSync(path.join(tmpdir(), "watch-"));
createApp(["local"], {
  outdir: directory,
  context: { "aws:cdk:bundling-stacks": [] },
  checked: false,
}).synth();
const assembly = readAssembly(directory, {
  parameters: { DnsServers: "", AllowedReceivers: "" },
  queueEndpoint: "http://127.0.0.1",
});

const sent: TraceEntry[] = [];
const bus = createEventBus({
  assembly,
  clock: { now: () => Date.parse("2026-11-28T00:00:00Z") } as never,
  engine: { send: () => Promise.reject(new Error("No rule of these has a queue.")) } as never,
  trace: { record: (entry) => void sent.push(entry) },
});

const account = assembly.account;
interface Identity {
  readonly userIdentity: object;
  readonly sourceIPAddress?: string;
}

function session(role: string, name: string, invokedBy?: string): Identity {
  const userIdentity = {
    type: "AssumedRole",
    principalId: `AROAEXAMPLE:${name}`,
    arn: `arn:aws:sts::${account}:assumed-role/${role}/${name}`,
    accountId: account,
    sessionContext: {
      sessionIssuer: { type: "Role", arn: `arn:aws:iam::${account}:role/${role}`, userName: role },
      attributes: { mfaAuthenticated: "false", creationDate: "2026-11-27T23:00:00Z" },
    },
    ...(invokedBy && { invokedBy }),
  };
  return { userIdentity, ...(invokedBy && { sourceIPAddress: invokedBy }) };
}
const person = session("Administrator", "alice");
const deployRole = `cdk-hnb659fds-deploy-role-${account}-${assembly.region}`;
const deployment = session(
  `cdk-hnb659fds-cfn-exec-role-${account}-${assembly.region}`,
  "AWSCloudFormation",
  "cloudformation.amazonaws.com",
);

/** The rules that page for a call, as CloudTrail records it. */
async function pages([service, eventName, parameters = null, more = {}]: Call, by: Identity = person) {
  sent.length = 0;
  const detail = {
    eventVersion: "1.11",
    eventTime: "2026-11-28T00:00:00Z",
    eventSource: `${service}.amazonaws.com`,
    eventName,
    awsRegion: assembly.region,
    sourceIPAddress: "192.0.2.7",
    userAgent: "aws-cli/2.31.0",
    requestParameters: parameters,
    responseElements: null,
    requestID: "1c5f6e1a-0000-4000-8000-000000000001",
    eventID: "1c5f6e1a-0000-4000-8000-000000000002",
    readOnly: /^(Get|List|Describe)/.test(eventName),
    eventType: "AwsApiCall",
    managementEvent: true,
    recipientAccountId: account,
    eventCategory: "Management",
    ...by,
    ...more,
  };
  const put = await bus.put({
    Source: `aws.${service}`,
    DetailType: "AWS API Call via CloudTrail",
    Detail: JSON.stringify(detail),
  });
  expect(put).toHaveProperty("EventId");
  return sent
    .filter(({ kind }) => kind === "topic-message")
    .map(({ name, detail: { rule } = {} }) => {
      expect(name).toMatch(/AlarmTopic/);
      return String(rule).replace(/^Watch(\w+)[0-9A-F]{8}$/, "$1");
    });
}

const { attacks, keyId, secretId, table, pitr, vault, stackName, bucketName } = attacksOn(assembly);
const denied = { errorCode: "AccessDenied", errorMessage: "is not authorized to perform" };
const each = Object.entries(attacks).flatMap(([rule, calls]) =>
  calls.map((call) => [rule, call[1], call] as const),
);

describe("the watch", () => {
  test("says in the runbook what to do about each of its pages", () => {
    const page = readFileSync("docs/runbook-account.md", "utf8");
    const [, section = ""] = page.split("\n## Attacks on keys, tables and code\n");
    for (const rule of Object.keys(attacks)) expect(section, rule).toContain(`| \`${rule}\` |`);
    for (const { properties, logicalId } of assembly.ofType("AWS::Events::Rule")) {
      if (!logicalId.startsWith("Watch")) continue;
      expect(JSON.stringify(properties.Targets)).toContain(
        "docs/runbook-account.md#attacks-on-keys-tables-and-code",
      );
    }
  });

  test("has a trial of every rule", () => {
    const rules = assembly.ofType("AWS::Events::Rule").map(({ logicalId }) => logicalId);
    const watching = rules.flatMap((id) => /^Watch(\w+)[0-9A-F]{8}$/.exec(id)?.[1] ?? []);
    expect(watching.toSorted()).toEqual(Object.keys(attacks).toSorted());
  });

  test.each(each)("%s pages for %s, also when it is denied", async (rule, name, call) => {
    expect(await pages(call)).toEqual([rule]);
    const [service, , parameters] = call;
    expect(await pages([service, name, parameters, denied])).toEqual([rule]);
    // What AWS denies before it reads the request has no parameters.
    expect(await pages([service, name, null, denied])).toEqual([rule]);
    const root = { userIdentity: { type: "Root", arn: `arn:aws:iam::${account}:root`, accountId: account } };
    expect(await pages(call, root)).toEqual([rule]);
    // By Step Functions and the like, anybody can make any call.
    expect(await pages(call, session("Machine", "run", "states.amazonaws.com"))).toEqual([rule]);
  });

  test("is quiet while a deployment does what it always does", async () => {
    const calls: Call[] = [
      [
        "lambda",
        "CreateFunction20150331",
        { ...vault, role: `arn:aws:iam::${account}:role/card-issuing-local-vault` },
      ],
      ["lambda", "UpdateFunctionCode20150331v2", vault],
      ["lambda", "UpdateFunctionConfiguration20150331v2", vault],
      ["lambda", "AddPermission20150331v2", vault],
      ["lambda", "PutFunctionEventInvokeConfig", vault],
      ["dynamodb", "CreateTable", table],
      ["dynamodb", "UpdateContinuousBackups", pitr(true)],
      ["dynamodb", "UpdateTimeToLive", table],
      ["dynamodb", "UpdateTable", { ...table, deletionProtectionEnabled: true }],
      ["events", "PutRule", { name: "card-issuing-local-operations-WatchKeysLost" }],
      ["s3", "PutBucketPolicy", bucketName],
      ["kms", "CreateKey", {}],
    ];
    for (const call of calls) expect(await pages(call, deployment), call[1]).toEqual([]);
    const command = session(deployRole, "aws-cdk-deployer");
    for (const name of ["CreateChangeSet", "ExecuteChangeSet"])
      expect(await pages(["cloudformation", name, stackName], command), name).toEqual([]);
    for (const name of ["DeleteFunction20150331", "DeleteProvisionedConcurrencyConfig"])
      expect(await pages(["lambda", name, { ...vault, qualifier: "3" }], command), name).toEqual([]);
    const protects = { ...stackName, enableTerminationProtection: true };
    expect(await pages(["cloudformation", "UpdateTerminationProtection", protects])).toEqual([]);
  });

  test("pages for what no deployment does, also if CloudFormation does it", async () => {
    for (const rule of ["KeysLost", "BackupsLost"])
      for (const call of attacks[rule] ?? []) expect(await pages(call, deployment), call[1]).toEqual([rule]);
    expect(await pages(["dynamodb", "DeleteTable", table], deployment)).toEqual(["TablesLost"]);
    expect(await pages(["dynamodb", "UpdateContinuousBackups", pitr(false)], deployment)).toEqual([
      "TablesLost",
    ]);
  });

  test("is quiet about what AWS's services do for a table or function", async () => {
    for (const service of ["dynamodb", "lambda", "backup"]) {
      const by = session("Administrator", "alice", `${service}.amazonaws.com`);
      expect(await pages(["kms", "CreateGrant", keyId], by), service).toEqual([]);
    }
    const cleaning = session("AWSBackupDefaultServiceRole", "AWSBackup", "backup.amazonaws.com");
    expect(await pages(["dynamodb", "DeleteBackup", {}], cleaning)).toEqual([]);
  });

  test("lets the functions read the secret that are given it, and nobody else with their roles", async () => {
    const readers = assembly.ofType("AWS::Lambda::Function").filter(({ properties }) => {
      const { Variables } = properties.Environment as { Variables: Record<string, string> };
      return Variables.KEY_PEPPER_SECRET_ID !== undefined;
    });
    expect(readers.length).toBeGreaterThan(2);
    for (const { physicalName, properties } of readers) {
      const role = String(properties.Role).split("/").at(-1) ?? "";
      const read: Call = ["secretsmanager", "GetSecretValue", secretId];
      expect(await pages(read, session(role, physicalName)), physicalName).toEqual([]);
      expect(await pages(read, session(role, "mine")), physicalName).toEqual(["SecretRead"]);
      const change: Call = ["secretsmanager", "PutSecretValue", secretId];
      expect(await pages(change, session(role, physicalName)), physicalName).toEqual(["SecretRead"]);
    }
  });

  test.each<[service: string, name: string, parameters?: object]>([
    ["secretsmanager", "GetSecretValue", { secretId: "another-application" }],
    ["lambda", "UpdateFunctionCode20150331v2", { functionName: "another-application" }],
    ["cloudformation", "UpdateStack", { stackName: "another-application" }],
    ["s3", "PutBucketPolicy", { bucketName: "another-application" }],
    ["dynamodb", "UpdateTable", { ...table, billingMode: "PAY_PER_REQUEST" }],
    ["kms", "Decrypt", keyId],
    ["kms", "DescribeKey", keyId],
    ["cloudtrail", "LookupEvents"],
  ])("is quiet about %s %s", async (...call) => {
    expect(await pages(call)).toEqual([]);
  });
});
