import { CfnOutput, Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import {
  accessLogsBucket,
  evidenceBucket,
  filesBucket,
  recordsBucket,
  truststoreBucket,
} from "../constructs/data-buckets.ts";
import type { KeptTable } from "../constructs/data-table.ts";
import type { FunctionData } from "../constructs/function-factory.ts";
import { ofFirst, replicaTable, streamOfReplica } from "../constructs/second-region.ts";
import { type DataStackProps, issuingIndexes } from "./data-stack.ts";

/**
 * What the functions of the second region use: the replicas of tables, keys and pepper, which the
 * first region's stacks made, and buckets of its own, whose contents are not replicated.
 */
export class SecondDataStack extends Stack implements FunctionData {
  readonly key: IKey;
  readonly accountsTable: KeptTable;
  readonly issuingTable: KeptTable;
  readonly truststoreBucket: Bucket;
  readonly filesBucket: Bucket;
  readonly evidenceBucket: Bucket;
  readonly recordsBucket: Bucket;
  readonly accessLogsBucket: Bucket;
  readonly keyPepper: ISecret;
  readonly authorityKeys: FunctionData["authorityKeys"];

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    this.key = Key.fromKeyArn(this, "DataKey", ofFirst(this, "DataKeyPrimaryArn"));
    const { key: encryptionKey } = this;
    this.accountsTable = replicaTable(this, "AccountsTable", { encryptionKey });
    this.issuingTable = replicaTable(this, "IssuingTable", {
      encryptionKey,
      tableStreamArn: streamOfReplica(this, "IssuingStreamArn"),
      globalIndexes: issuingIndexes.map(({ indexName }) => indexName),
    });
    this.accessLogsBucket = accessLogsBucket(this);
    this.truststoreBucket = truststoreBucket(this, this.accessLogsBucket);
    const encrypted = { scope: this, key: this.key, serverAccessLogsBucket: this.accessLogsBucket };
    this.filesBucket = filesBucket(encrypted);
    this.evidenceBucket = evidenceBucket(encrypted);
    this.recordsBucket = recordsBucket(encrypted, settings.objectLock);
    this.authorityKeys = new Map(
      settings.authorityKeys.map((name) => [
        name,
        { keyArn: ofFirst(this, `AuthorityKey${name}PrimaryArn`) },
      ]),
    );
    this.keyPepper = Secret.fromSecretAttributes(this, "KeyPepper", {
      secretCompleteArn: ofFirst(this, "KeyPepperArn"),
      encryptionKey,
    });
    // By the names of the first region's: the same commands read them.
    const outputs = {
      AccountsTableName: this.accountsTable.tableName,
      IssuingTableName: this.issuingTable.tableName,
      DataKeyArn: this.key.keyArn,
      TruststoreBucketName: this.truststoreBucket.bucketName,
      FilesBucketName: this.filesBucket.bucketName,
      RecordsBucketName: this.recordsBucket.bucketName,
      KeyPepperArn: this.keyPepper.secretArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }

  get tables(): Readonly<Record<string, KeptTable>> {
    return { IssuingTable: this.issuingTable, AccountsTable: this.accountsTable };
  }
}
