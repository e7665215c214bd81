import { describe, expect, test } from "vitest";
import { tablePermissions } from "../../infra/constructs/table-permissions.ts";
import { environmentNames, readSettings, Settings } from "../../infra/environments.ts";
import { decide } from "../../infra/local/access/policy.ts";
import { PolicyDocument } from "../../infra/local/access/read-policies.ts";
import { vaultCallers } from "../../shared/contract/vault.ts";
import { askable, askingForAll } from "./given-listener-stack.ts";
import { resource, resourcesOf, synthesized } from "./synthesized.ts";

describe.each(environmentNames)("the vault of %s", (name) => {
  const { vault } = synthesized(name);
  const { account, region } = readSettings(name);
  const roleOf = (roleName: string) => `arn:aws:iam::${account}:role/${roleName}`;
  const own = roleOf(`card-issuing-${name}-vault`);
  const replication = roleOf(
    "aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication",
  );
  const others = [
    ...Object.keys(tablePermissions)
      .filter((folder) => folder !== "vault")
      .map((folder) => roleOf(`card-issuing-${name}-${folder}`)),
    roleOf("Administrator"),
    roleOf(`card-issuing-${name}-vault-copy`),
    `arn:aws:iam::${account}:user/card-issuing-${name}-vault`,
    `arn:aws:iam::${account}:root`,
  ];

  /** Whether a principal may do it whose own policies allow everything. */
  function isAllowed(policy: unknown, action: string, principal: string): boolean {
    const { Statement } = PolicyDocument.parse(policy);
    const denials = Statement.filter(({ Effect }) => Effect === "Deny");
    const everything = { Effect: "Allow" as const, Action: ["*"], Resource: ["*"], Condition: {} };
    const context = { "aws:PrincipalArn": principal };
    return decide([everything, ...denials], { action, resource: "arn:aws:any", context }).allowed;
  }

  const tablePolicy = resource(vault, "AWS::DynamoDB::GlobalTable", "VaultTable")[1].Properties.Replicas[0]
    .ResourcePolicy.PolicyDocument;

  test("its table serves its own role alone, and DynamoDB, which copies it to another region", () => {
    for (const operation of [
      ...["GetItem", "BatchGetItem", "Query", "Scan", "ConditionCheckItem", "ExportTableToPointInTime"],
      ...["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
      ...["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"],
    ]) {
      const action = `dynamodb:${operation}`;
      expect(isAllowed(tablePolicy, action, own), action).toBe(true);
      expect(isAllowed(tablePolicy, action, replication), action).toBe(true);
      for (const other of others) expect(isAllowed(tablePolicy, action, other), other).toBe(false);
    }
  });

  test("an administrator can still restore and delete the table, and change its policy", () => {
    for (const operation of [
      ...["CreateTable", "DescribeTable", "UpdateTable", "DeleteTable", "UpdateTimeToLive"],
      ...["RestoreTableToPointInTime", "RestoreTableFromBackup", "CreateBackup", "UpdateContinuousBackups"],
      ...["GetResourcePolicy", "PutResourcePolicy", "DeleteResourcePolicy", "TagResource"],
    ])
      expect(isAllowed(tablePolicy, `dynamodb:${operation}`, roleOf("Administrator")), operation).toBe(true);
  });

  test.each([
    ["NumberKey", ["Decrypt", "GenerateDataKey", "Encrypt", "ReEncryptFrom", "ReEncryptTo"]],
    ["NumberIndexKey", ["GenerateMac", "VerifyMac"]],
    ["CvvKey", ["GenerateMac", "VerifyMac"]],
    ["AccountUpdateKey", ["GenerateMac", "VerifyMac"]],
    ["CavvKey", ["GenerateMac", "VerifyMac"]],
    ["DeviceKey", ["DeriveSharedSecret"]],
  ])("%s serves its own role alone", (key, operations) => {
    const policy = resource(vault, "AWS::KMS::Key", key)[1].Properties.KeyPolicy;
    for (const action of operations.map((operation) => `kms:${operation}`)) {
      expect(isAllowed(policy, action, own), action).toBe(true);
      for (const other of others) expect(isAllowed(policy, action, other), `${other} ${action}`).toBe(false);
    }
    for (const action of ["kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:EnableKeyRotation"])
      expect(isAllowed(policy, action, roleOf("Administrator")), action).toBe(true);
  });

  test("its role uses the keys from within its function alone", () => {
    vault.hasResourceProperties("AWS::IAM::Role", { RoleName: `card-issuing-${name}-vault` });
    const source = `arn:aws:lambda:${region}:${account}:function:card-issuing-${name}-vault`;
    const statements = resourcesOf(vault, "AWS::IAM::Policy").flatMap(
      ([, { Properties }]) => Properties.PolicyDocument.Statement,
    );
    const onKeys = statements.filter(
      ({ Action, Condition }) => /kms:/.test(String(Action)) && !Condition?.StringEquals?.["kms:ViaService"],
    );
    expect(onKeys.flatMap(({ Resource }) => Resource)).toHaveLength(6);
    for (const { Condition } of onKeys)
      expect(Condition).toEqual({ ArnEquals: { "lambda:SourceFunctionArn": source } });
  });

  test("Lambda repeats no invocation of the function or one of its aliases", () => {
    const configs = resourcesOf(vault, "AWS::Lambda::EventInvokeConfig").map(
      ([, { Properties }]) => Properties,
    );
    for (const { MaximumRetryAttempts } of configs) expect(MaximumRetryAttempts).toBe(0);
    const qualifiers = configs.map(({ Qualifier }) => JSON.stringify(Qualifier));
    const callers = Object.keys(vaultCallers).filter((one) => one !== "sandbox" || name !== "production");
    expect(qualifiers).toHaveLength(callers.length + 1);
    for (const qualifier of [/\$LATEST/, ...callers.map((one) => `VaultAlias${one}`)])
      expect(
        qualifiers.filter((one) => one.search(qualifier) >= 0),
        String(qualifier),
      ).toHaveLength(1);
  });
});

describe("keys of AWS Payment Cryptography", () => {
  const { paymentCryptography } = askable;

  test("are used by the vault alone, from within its function, for three calls", () => {
    const templates = askingForAll();
    const granted = resourcesOf(templates, "AWS::IAM::Policy").flatMap(([id, { Properties }]) =>
      Properties.PolicyDocument.Statement.filter(({ Action }: { Action: unknown }) =>
        JSON.stringify(Action).includes("payment-cryptography:"),
      ).map((statement: object) => ({ id, ...statement })),
    );
    const source = "arn:aws:lambda:eu-west-1:444455556666:function:card-issuing-production-vault";
    expect(granted).toEqual([
      {
        id: expect.stringMatching(/^Vault/),
        Effect: "Allow",
        Action: ["GenerateCardValidationData", "GeneratePinData", "VerifyPinData"].map(
          (call) => `payment-cryptography:${call}`,
        ),
        Resource: ["card1", "card2", "cavv1", "pin1", "pin2", "service", "zone"].map((key) =>
          expect.stringMatching(new RegExp(`^arn:aws:payment-cryptography:.*:key/${key}$`)),
        ),
        Condition: { ArnEquals: { "lambda:SourceFunctionArn": source } },
      },
    ]);
    const [, { Properties }] = resource(templates.vault, "AWS::Lambda::Function", "Vault");
    const { PAYMENT_CRYPTOGRAPHY, CARD_KEY_INDEX } = Properties.Environment.Variables;
    expect([JSON.parse(PAYMENT_CRYPTOGRAPHY), CARD_KEY_INDEX]).toEqual([paymentCryptography, "2"]);
  });

  test("are settings of an environment, with one for the index in use", () => {
    const settings = readSettings("production");
    const refused = (more: object) => Settings.safeParse({ ...settings, ...more }).error?.issues[0]?.path;
    expect(refused({ paymentCryptography, cardKeyIndex: 2 })).toBeUndefined();
    expect(refused({ paymentCryptography, cardKeyIndex: 3 })).toEqual(["cardKeyIndex"]);
    const servicePinKey = "arn:aws:kms:eu-west-1:444455556666:key/service";
    expect(refused({ paymentCryptography: { ...paymentCryptography, servicePinKey } })).toEqual([
      ...["paymentCryptography", "servicePinKey"],
    ]);
    expect(settings.cardKeyIndex).toBe(1);
  });
});
