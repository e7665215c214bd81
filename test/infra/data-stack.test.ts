import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { environmentNames } from "../../infra/environments.ts";
import { resource, resourcesOf, synthesized } from "./synthesized.ts";

/** A changed logical id is a new, empty resource in the place of one that holds data. These never change. */
const pinned = {
  "AWS::DynamoDB::Table": ["AccountsTable81C15AE5", "IssuingTableC5D57E9E"],
  "AWS::KMS::Key": ["DataKey17AFBB84"],
  "AWS::S3::Bucket": ["Truststore1C006261", "TruststoreAccessLogs67B54495"],
  "AWS::SecretsManager::Secret": ["KeyPepperB58BE0AC"],
};

describe.each(environmentNames)("data stack of %s", (name) => {
  const { data } = synthesized(name);

  test.each(Object.entries(pinned))("%s: logical ids are pinned", (type, ids) => {
    expect(
      resourcesOf(data, type)
        .map(([id]) => id)
        .toSorted(),
    ).toEqual(ids);
  });

  test("nothing in it is removed or replaced by a deployment", () => {
    for (const type of Object.keys(pinned)) {
      data.allResources(type, { DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
    }
  });

  test("tables: stream, point-in-time recovery, deletion protection, time to live, on demand, customer key", () => {
    data.allResourcesProperties("AWS::DynamoDB::Table", {
      AttributeDefinitions: Match.arrayWith([
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "S" },
      ]),
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      BillingMode: "PAY_PER_REQUEST",
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
      SSESpecification: {
        SSEEnabled: true,
        SSEType: "KMS",
        KMSMasterKeyId: { "Fn::GetAtt": ["DataKey17AFBB84", "Arn"] },
      },
      StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      TimeToLiveSpecification: { AttributeName: "expiresAtSeconds", Enabled: true },
    });
  });

  test("issuing table: the lists' index carries what lists filter and order by, the deadlines' index all", () => {
    const [, { Properties }] = resource(data, "AWS::DynamoDB::Table", "IssuingTable");
    expect(Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: "by-collection",
        KeySchema: [
          { AttributeName: "collection", KeyType: "HASH" },
          { AttributeName: "entityId", KeyType: "RANGE" },
        ],
        Projection: {
          ProjectionType: "INCLUDE",
          NonKeyAttributes: [
            "status",
            "issuerCardStatus",
            "cardholderId",
            "lastName",
            "firstName",
            "cardHolderLastName",
            "createdAt",
            "transStatus",
            "transType",
            "feeType",
            "amountMinor",
            "transDate",
            "outstandingMinor",
          ],
        },
      },
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
    data.allResourcesProperties("AWS::KMS::Key", { EnableKeyRotation: true });
  });

  test("buckets: versioned, private, TLS only, and the truststore's reads are logged", () => {
    data.allResourcesProperties("AWS::S3::Bucket", {
      VersioningConfiguration: { Status: "Enabled" },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
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
    const [, { Properties }] = resource(data, "AWS::S3::Bucket", "Truststore1");
    expect(Properties.LoggingConfiguration).toEqual({
      DestinationBucketName: { Ref: "TruststoreAccessLogs67B54495" },
    });
  });

  test("the pepper is generated in the account, under the customer key, and never in the template", () => {
    const [, { Properties }] = resource(data, "AWS::SecretsManager::Secret", "KeyPepper");
    expect(Properties.GenerateSecretString).toEqual({ PasswordLength: 64, ExcludePunctuation: true });
    expect(Properties.KmsKeyId).toEqual({ "Fn::GetAtt": ["DataKey17AFBB84", "Arn"] });
    expect(Properties.SecretString).toBeUndefined();
  });
});
