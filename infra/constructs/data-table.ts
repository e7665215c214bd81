import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  StreamViewType,
  Table,
  TableEncryption,
} from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

export interface DataTableProps {
  readonly key: IKey;
  /** Set for a restored table. CloudFormation names all others. */
  readonly tableName?: string;
  readonly indexes?: readonly GlobalSecondaryIndexProps[];
  /** Default: true. */
  readonly hasStream?: boolean;
}

/** A table that no deployment can lose: protected, retained, restorable for 35 days. */
export class DataTable extends Table {
  readonly indexNames: readonly string[];

  constructor(
    scope: Construct,
    id: string,
    { key, tableName, indexes = [], hasStream = true }: DataTableProps,
  ) {
    super(scope, id, {
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
    for (const index of indexes) this.addGlobalSecondaryIndex(index);
    this.indexNames = indexes.map((index) => index.indexName);
  }
}
