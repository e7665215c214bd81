import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { type Resource, resource, resourcesOf, synthesized } from "./synthesized.ts";

const dataKey = "DataKey17AFBB84";

describe.each(environmentNames)("data stack of %s", (name) => {
  const { data, api } = synthesized(name);
  const table = (of: string) => resource(data, "AWS::DynamoDB::GlobalTable", `${of}Table`);

  test("creates tables last, one after the other, because CloudFormation cannot roll back a protected one", () => {
    const { Resources } = data.toJSON() as { Resources: Record<string, Resource> };
    const ids = Object.keys(Resources);
    const [[accounts], [issuing]] = [table("Accounts"), table("Issuing")];
    const others = ids.filter((id) => id !== accounts && id !== issuing);
    expect(Resources[accounts]?.DependsOn).toEqual(expect.arrayContaining(others));
    expect([Resources[issuing]?.DependsOn].flat()).toContain(accounts);
  });

  test("tables: stream, point-in-time recovery, deletion protection, time to live, on demand, customer key", () => {
    data.allResourcesProperties("AWS::DynamoDB::GlobalTable", {
      AttributeDefinitions: Match.arrayWith([
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "S" },
      ]),
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      BillingMode: "PAY_PER_REQUEST",
      Replicas: [
        Match.objectLike({
          Region: readSettings(name).region,
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
          SSESpecification: { KMSMasterKeyId: { "Fn::GetAtt": ["DataKey17AFBB84", "Arn"] } },
        }),
      ],
      SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
      StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      TimeToLiveSpecification: { AttributeName: "expiresAtSeconds", Enabled: true },
    });
  });

  test("issuing table: the deadlines' index projects all attributes", () => {
    const [, { Properties }] = table("Issuing");
    expect(Properties.GlobalSecondaryIndexes).toMatchObject([
      {
        IndexName: "by-due",
        KeySchema: [
          { AttributeName: "dueShard", KeyType: "HASH" },
          { AttributeName: "dueAt", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ]);
  });

  test("the customer key rotates", () => {
    const [, { Properties }] = resource(data, "AWS::KMS::Key", dataKey);
    expect(Properties.EnableKeyRotation).toBe(true);
  });

  test("the CAs' keys are P-256 and sign only for the certificates function's role", () => {
    for (const [id, { Properties }] of resourcesOf(data, "AWS::KMS::Key")) {
      if (id === dataKey) continue;
      expect(Properties).toMatchObject({ KeySpec: "ECC_NIST_P256", KeyUsage: "SIGN_VERIFY" });
      const role = `arn:aws:iam::${readSettings(name).account}:role/card-issuing-${name}-certificates`;
      expect(Properties.KeyPolicy.Statement).toContainEqual({
        Sid: "SignsForTheCertificatesFunctionAlone",
        Effect: "Deny",
        Principal: { AWS: "*" },
        Action: "kms:Sign",
        Resource: "*",
        Condition: { StringNotEquals: { "aws:PrincipalArn": role } },
      });
      resource(api, "AWS::IAM::Role", "CertificatesRole");
      api.hasResourceProperties("AWS::IAM::Role", { RoleName: `card-issuing-${name}-certificates` });
    }
    api.hasResourceProperties("AWS::IAM::Policy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: "kms:Sign",
            Condition: {
              StringEquals: { "kms:SigningAlgorithm": "ECDSA_SHA_256", "kms:MessageType": "DIGEST" },
            },
          }),
        ]),
      },
    });
  });

  test("buckets: TLS only, versioned except for files, and reads are logged", () => {
    const isVersioned = resourcesOf(data, "AWS::S3::Bucket").map(([id, { Properties }]) => [
      id,
      Properties.VersioningConfiguration?.Status,
    ]);
    expect(Object.fromEntries(isVersioned)).toEqual({
      Evidence4CC26D68: "Enabled",
      Files8E6940B8: undefined,
      Records091F6ECA: "Enabled",
      Truststore1C006261: "Enabled",
      TruststoreAccessLogs67B54495: "Enabled",
    });
    data.allResourcesProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: "s3:*",
            Effect: "Deny",
            Principal: { AWS: "*" },
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          }),
        ]),
      },
    });
    const logged = { DestinationBucketName: { Ref: "TruststoreAccessLogs67B54495" } };
    for (const [id, more] of [
      ["Truststore1", {}],
      ["Files", { LogFilePrefix: "files/" }],
      ["Evidence", { LogFilePrefix: "evidence/" }],
      ["Records", { LogFilePrefix: "records/" }],
    ] as const)
      expect(resource(data, "AWS::S3::Bucket", id)[1].Properties.LoggingConfiguration, id).toEqual({
        ...logged,
        ...more,
      });
  });

  test.each([
    [
      "Files",
      [
        ["in/", 30, undefined],
        ["progress/", 30, undefined],
        ["reports/", 400, undefined],
        ["bulk/", 8, undefined],
        ["statements/", 8, undefined],
        ["ledgers/", 8, undefined],
        ["report-parts/", 8, undefined],
        ["program-reports/", 400, undefined],
      ],
    ],
    [
      "Evidence",
      [
        ["uploads/", 15, 1],
        ["evidence/", 1_095, 30],
      ],
    ],
  ])(
    "%s: encrypted with the customer key, deleted after a time, and announced by EventBridge",
    (id, kept) => {
      const [, { Properties }] = resource(data, "AWS::S3::Bucket", id);
      expect(Properties.BucketEncryption.ServerSideEncryptionConfiguration).toEqual([
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: {
            KMSMasterKeyID: { "Fn::GetAtt": [dataKey, "Arn"] },
            SSEAlgorithm: "aws:kms",
          },
        },
      ]);
      const rules = Properties.LifecycleConfiguration.Rules.map((rule: Resource["Properties"]) => [
        rule.Prefix,
        rule.ExpirationInDays,
        rule.NoncurrentVersionExpiration?.NoncurrentDays,
      ]);
      expect(rules).toEqual(kept);
      expect(Properties.NotificationConfiguration).toEqual({
        EventBridgeConfiguration: { EventBridgeEnabled: true },
      });
    },
  );

  test("the pepper is generated in the account, and encrypted with the customer key", () => {
    const [, { Properties }] = resource(data, "AWS::SecretsManager::Secret", "KeyPepper");
    expect(Properties.GenerateSecretString).toEqual({ PasswordLength: 64, ExcludePunctuation: true });
    expect(Properties.KmsKeyId).toEqual({ "Fn::GetAtt": ["DataKey17AFBB84", "Arn"] });
  });
});
