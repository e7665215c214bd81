import type { Answer, Request } from "./emulated-aws.ts";
import { json, refusal } from "./json-protocol.ts";

interface EmulatedTable {
  readonly restoredFrom?: { readonly source: string; readonly seconds: number };
  hasStream: boolean;
  isProtected: boolean;
  expires: boolean;
  hasBackups: boolean;
  /** As `OnDemandThroughput` was set last. */
  maximum?: unknown;
  insights?: unknown;
  readonly items: Map<string, Record<string, unknown>>;
}

/**
 * As much of DynamoDB as a restore asks: tables with their settings, and scans and puts of items.
 */
export class EmulatedDynamo {
  readonly tables = new Map<string, EmulatedTable>();
  /** Seconds: from when to when tables can be restored to. */
  restorable = { from: 0, until: 4_000_000_000 };

  /** A table as the data stack makes it. */
  add(name: string, items: readonly Record<string, unknown>[] = []): void {
    this.tables.set(name, { ...on, items: new Map(items.map((item) => [keyOf(item), item])) });
  }

  /** As a restore by AWS Backup leaves it. */
  restoreCopy(TargetTableName: string, SourceTableName: string, copiedAt: string): void {
    const RestoreDateTime = Date.parse(copiedAt) / 1_000;
    this.#restore({ SourceTableName, TargetTableName, RestoreDateTime });
  }

  answer({ headers, body }: Request): Answer {
    const operation = String(headers["x-amz-target"]).split(".")[1] ?? "";
    const input = JSON.parse(body.toString()) as Record<string, unknown>;
    if (operation === "RestoreTableToPointInTime") return this.#restore(input);
    const name = String(input.TableName);
    const table = this.tables.get(name);
    if (table === undefined) return refusal("com.amazonaws.dynamodb.v20120810#ResourceNotFoundException");
    switch (operation) {
      case "DescribeTable":
        return json({ Table: describe(name, table) });
      case "UpdateTable":
        if (input.StreamSpecification) table.hasStream = true;
        if (input.DeletionProtectionEnabled) table.isProtected = true;
        if (input.OnDemandThroughput) table.maximum = input.OnDemandThroughput;
        return json({ TableDescription: describe(name, table) });
      case "DescribeContributorInsights":
        return json({ ContributorInsightsStatus: table.insights === undefined ? "DISABLED" : "ENABLED" });
      case "UpdateContributorInsights":
        table.insights = input.ContributorInsightsMode;
        return json({});
      case "DescribeTimeToLive":
        return json({ TimeToLiveDescription: { TimeToLiveStatus: table.expires ? "ENABLED" : "DISABLED" } });
      case "UpdateTimeToLive":
        table.expires = true;
        return json({});
      case "UpdateContinuousBackups":
        table.hasBackups = true;
        return json({});
      case "DescribeContinuousBackups":
        return json({ ContinuousBackupsDescription: this.#backups(table) });
      case "Scan":
        return json({ Items: scan(table, input.ExpressionAttributeValues as ScanValues) });
      case "PutItem": {
        const item = input.Item as Record<string, unknown>;
        table.items.set(keyOf(item), item);
        return json({});
      }
      default:
        return refusal("com.amazonaws.dynamodb.v20120810#UnknownOperationException");
    }
  }

  #restore({ SourceTableName, TargetTableName, RestoreDateTime }: Record<string, unknown>): Answer {
    const source = this.tables.get(String(SourceTableName));
    if (source === undefined) return refusal("com.amazonaws.dynamodb.v20120810#TableNotFoundException");
    const restoredFrom = { source: String(SourceTableName), seconds: Number(RestoreDateTime) };
    this.tables.set(String(TargetTableName), { ...off, restoredFrom, items: new Map(source.items) });
    return json({ TableDescription: {} });
  }

  #backups({ hasBackups }: EmulatedTable) {
    const PointInTimeRecoveryDescription = {
      PointInTimeRecoveryStatus: hasBackups ? "ENABLED" : "DISABLED",
      ...(hasBackups && {
        EarliestRestorableDateTime: this.restorable.from,
        LatestRestorableDateTime: this.restorable.until,
      }),
    };
    return { ContinuousBackupsStatus: "ENABLED", PointInTimeRecoveryDescription };
  }
}

/** By what a scan wants of the sort key: a whole one, or how it begins. */
type ScanValues = Readonly<Partial<Record<":outbox" | ":audit", { readonly S: string }>>>;

/** A restored table has none of these. */
const off = { hasStream: false, isProtected: false, expires: false, hasBackups: false };
const on = { hasStream: true, isProtected: true, expires: true, hasBackups: true };

function keyOf(item: Record<string, unknown>): string {
  return JSON.stringify([item.pk, item.sk]);
}

function scan({ items }: EmulatedTable, values: ScanValues) {
  const start = (values[":outbox"] ?? values[":audit"])?.S ?? "";
  const carries = ({ outbox }: Record<string, unknown>) =>
    values[":outbox"] !== undefined && outbox !== undefined;
  return [...items.values()].filter(
    (item) => carries(item) || (item.sk as { S: string }).S.startsWith(start),
  );
}

function describe(TableName: string, { hasStream, isProtected, maximum, restoredFrom }: EmulatedTable) {
  return {
    TableName,
    TableStatus: "ACTIVE",
    DeletionProtectionEnabled: isProtected,
    OnDemandThroughput: maximum,
    ...(hasStream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
      LatestStreamArn: `arn:aws:dynamodb:eu-west-1:000000000000:table/${TableName}/stream/1`,
    }),
    ...(restoredFrom && {
      RestoreSummary: {
        SourceTableArn: `arn:aws:dynamodb:eu-west-1:000000000000:table/${restoredFrom.source}`,
        RestoreDateTime: restoredFrom.seconds,
      },
    }),
  };
}
