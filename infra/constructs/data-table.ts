import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  ContributorInsightsMode,
  type GlobalSecondaryIndexPropsV2,
  type ITableV2,
  StreamViewType,
  TableClass,
  TableEncryptionV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import type { PolicyDocument } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import type { KeptKey } from "./kept-key.ts";

/** A table of the platform's own region: made here, or a replica of the first region's. */
export type KeptTable = ITableV2 & { readonly indexNames: readonly string[] };

interface DataTableProps {
  readonly key: KeptKey;
  readonly units: Settings["tableUnits"];
  readonly secondRegion: Settings["secondRegion"];
  /** The table has it in each of its regions. */
  readonly policy?: PolicyDocument;
  /** Set for a restored table. CloudFormation names all others. */
  readonly tableName?: string;
  readonly indexes?: readonly GlobalSecondaryIndexPropsV2[];
  /** Default: true. */
  readonly hasStream?: boolean;
}

/** Counts what is throttled, by key: that costs nothing while nothing is. */
const insights = {
  contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
};

/**
 * A table that no deployment can lose: protected, retained, restorable for 35 days. It is declared
 * as a global one: a plain one could never be declared with a replica in the second region.
 */
export class DataTable extends TableV2 {
  readonly indexNames: readonly string[];

  constructor(
    scope: Construct,
    id: string,
    { key, units, secondRegion, policy, tableName, indexes = [], hasStream = true }: DataTableProps,
  ) {
    const brake = { maxReadRequestUnits: units.reads, maxWriteRequestUnits: units.writes };
    const warm = units.warm && {
      readUnitsPerSecond: units.warm.reads,
      writeUnitsPerSecond: units.warm.writes,
    };
    const others = { ...(warm && { warmThroughput: warm }), ...insights };
    const policies = policy && { resourcePolicy: policy };
    const second = secondRegion?.hasReplicas ? secondRegion.region : undefined;
    super(scope, id, {
      ...others,
      ...policies,
      ...(second !== undefined && { replicas: [{ region: second, ...policies }] }),
      billing: Billing.onDemand(brake),
      ...(units.isInfrequent && { tableClass: TableClass.STANDARD_INFREQUENT_ACCESS }),
      ...(tableName !== undefined && { tableName }),
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      ...(hasStream && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
      encryption: TableEncryptionV2.customerManagedKey(
        key,
        second === undefined ? undefined : { [second]: key.arnIn(second) },
      ),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      timeToLiveAttribute: "expiresAtSeconds",
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      // Each index has its own: one that is slower than its table makes the table wait.
      globalSecondaryIndexes: indexes.map((index) => ({ ...index, ...brake, ...others })),
    });
    this.indexNames = indexes.map((index) => index.indexName);
  }
}
