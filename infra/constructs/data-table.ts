import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  ContributorInsightsMode,
  type GlobalSecondaryIndexProps,
  StreamViewType,
  Table,
  TableEncryption,
} from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";

export interface DataTableProps {
  readonly key: IKey;
  readonly units: Settings["tableUnits"];
  /** Set for a restored table. CloudFormation names all others. */
  readonly tableName?: string;
  readonly indexes?: readonly GlobalSecondaryIndexProps[];
  /** Default: true. */
  readonly hasStream?: boolean;
}

/** Counts what is throttled, by key: that costs nothing while nothing is. */
const insights = {
  contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
};

/** A table that no deployment can lose: protected, retained, restorable for 35 days. */
export class DataTable extends Table {
  readonly indexNames: readonly string[];

  constructor(
    scope: Construct,
    id: string,
    { key, units, tableName, indexes = [], hasStream = true }: DataTableProps,
  ) {
    const brake = { maxReadRequestUnits: units.reads, maxWriteRequestUnits: units.writes };
    const warm = units.warm && {
      readUnitsPerSecond: units.warm.reads,
      writeUnitsPerSecond: units.warm.writes,
    };
    const throughput = { ...brake, ...(warm && { warmThroughput: warm }), ...insights };
    super(scope, id, {
      ...throughput,
      ...(tableName !== undefined && { tableName }),
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(hasStream && { stream: StreamViewType.NEW_AND_OLD_IMAGES }),
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: key,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      timeToLiveAttribute: "expiresAtSeconds",
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    // Each index has its own: one that is slower than its table makes the table wait.
    for (const index of indexes) this.addGlobalSecondaryIndex({ ...index, ...throughput });
    this.indexNames = indexes.map((index) => index.indexName);
  }
}
