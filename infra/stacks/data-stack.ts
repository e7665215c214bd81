import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import {
  AttributeType,
  type CfnGlobalTable,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
} from "aws-cdk-lib/aws-dynamodb";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct, IConstruct } from "constructs";
import { storeLayout } from "../../shared/contract/store-layout.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import { AuthorityKey } from "../constructs/authority-key.ts";
import { addDataBuckets, type DataBuckets } from "../constructs/data-buckets.ts";
import { DataTable } from "../constructs/data-table.ts";
import type { FunctionData } from "../constructs/function-factory.ts";
import { KeptKey } from "../constructs/kept-key.ts";
import { restoredLogicalId, restoredTableName } from "../constructs/names.ts";
import { addWritesPolicy, pepperReplica } from "../constructs/second-region.ts";
import type { Settings } from "../environments.ts";

/**
 * Partition keys are entities or shards: an index keyed by date alone would be one hot partition.
 */
export const issuingIndexes: GlobalSecondaryIndexPropsV2[] = [
  {
    indexName: "by-due",
    partitionKey: { name: "dueShard", type: AttributeType.STRING },
    sortKey: { name: "dueAt", type: AttributeType.STRING },
    projectionType: ProjectionType.ALL,
  },
];

export interface DataStackProps extends StackProps {
  readonly settings: Pick<
    Settings,
    "name" | "authorityKeys" | "restoredTo" | "tableUnits" | "objectLock" | "secondRegion" | "region"
  >;
}

const tableKinds = { AccountsTable: "accounts", IssuingTable: "issuing" } as const;

/**
 * Everything that must outlive a deployment: tables, CA keys, truststore and API key pepper. No
 * deployment removes or replaces any of it.
 */
export class DataStack extends Stack implements FunctionData {
  readonly key: KeptKey;
  readonly accountsTable: DataTable;
  readonly issuingTable: DataTable;
  readonly buckets: DataBuckets;
  readonly keyPepper: Secret;
  readonly authorityKeys: ReadonlyMap<string, AuthorityKey>;

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    const { secondRegion } = settings;
    this.key = new KeptKey(this, "DataKey", {
      description: "Encrypts the tables and the secrets of the card issuing platform.",
      enableKeyRotation: true,
      rotationPeriod: Duration.days(365),
    });
    this.accountsTable = this.table("AccountsTable", settings);
    this.issuingTable = this.table("IssuingTable", settings, issuingIndexes);
    this.buckets = addDataBuckets(this, this.key, settings);
    this.authorityKeys = new Map(
      settings.authorityKeys.map((name) => [name, new AuthorityKey(this, name, settings)]),
    );
    this.keyPepper = new Secret(this, "KeyPepper", {
      description: "Pepper of the keyed hash under which API keys are stored.",
      encryptionKey: this.key,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...pepperReplica(this, this.key, settings),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    acknowledge(this.keyPepper, {
      "AwsSolutions-SMG4":
        "`npm run pepper` rotates it. No schedule can end a rotation: keys must have been used before.",
    });
    // The deployment of another layout is refused.
    new CfnOutput(this, "StoreLayout", { value: String(storeLayout) });
    addDataOutputs(this, this);
    if (secondRegion !== undefined) addWritesPolicy(this, settings);
    this.makeTablesLast();
  }

  /** A failed creation leaves protected tables behind, so create everything else first. */
  private makeTablesLast() {
    const isTable = (one: IConstruct) => one instanceof DataTable;
    const others = this.node.children.filter((one) => !isTable(one));
    const accounts = this.node.findChild("AccountsTable");
    for (const table of this.node.children.filter(isTable)) {
      const isOfAccounts = table.node.id.startsWith(accounts.node.id);
      table.node.addDependency(...(isOfAccounts ? others : [accounts]));
    }
  }

  get tables(): Readonly<Record<string, DataTable>> {
    return { IssuingTable: this.issuingTable, AccountsTable: this.accountsTable };
  }

  /**
   * Returns the table in use. After a restore that is the restored one; the previous one is kept.
   */
  private table(
    id: keyof typeof tableKinds,
    { name, restoredTo, tableUnits: units, secondRegion }: DataStackProps["settings"],
    indexes: readonly GlobalSecondaryIndexPropsV2[] = [],
  ): DataTable {
    const props = { key: this.key, units, secondRegion, indexes };
    const first = new DataTable(this, id, props);
    if (restoredTo === undefined) return first;
    const tableName = restoredTableName(name, tableKinds[id], restoredTo);
    const logicalId = restoredLogicalId(id, restoredTo);
    const restored = new DataTable(this, logicalId, { ...props, tableName });
    // Must equal what the restore imported.
    const resource = restored.node.defaultChild as CfnGlobalTable;
    resource.overrideLogicalId(logicalId);
    resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return restored;
  }
}

/** What the commands read, by the same names in the second region. */
export function addDataOutputs(stack: Stack, data: FunctionData) {
  const outputs = {
    AccountsTableName: data.accountsTable.tableName,
    IssuingTableName: data.issuingTable.tableName,
    // The first Tenant's record is encrypted with it.
    DataKeyArn: data.key.keyArn,
    TruststoreBucketName: data.buckets.truststore.bucketName,
    FilesBucketName: data.buckets.files.bucketName,
    RecordsBucketName: data.buckets.records.bucketName,
    KeyPepperArn: data.keyPepper.secretArn,
  };
  for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
}
