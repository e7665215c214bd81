import { Stack } from "aws-cdk-lib";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { addDataBuckets, type DataBuckets } from "../constructs/data-buckets.ts";
import type { KeptTable } from "../constructs/data-table.ts";
import type { FunctionData } from "../constructs/function-factory.ts";
import { ofFirst, replicaTable, streamOfReplica } from "../constructs/second-region.ts";
import { addDataOutputs, type DataStackProps, issuingIndexes } from "./data-stack.ts";

/**
 * What the functions of the second region use: the replicas of tables, keys and pepper, which the
 * first region's stacks made, and buckets of its own, whose contents are not replicated.
 */
export class SecondDataStack extends Stack implements FunctionData {
  readonly key: IKey;
  readonly accountsTable: KeptTable;
  readonly issuingTable: KeptTable;
  readonly buckets: DataBuckets;
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
    this.buckets = addDataBuckets(this, this.key, settings);
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
    addDataOutputs(this, this);
  }

  get tables(): Readonly<Record<string, KeptTable>> {
    return { IssuingTable: this.issuingTable, AccountsTable: this.accountsTable };
  }
}
