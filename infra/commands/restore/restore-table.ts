import { setTimeout as delay } from "node:timers/promises";
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";

export interface TableRestore {
  readonly dynamo: DynamoDBClient;
  readonly source: string;
  readonly target: string;
  /** Whole seconds. */
  readonly to: Date;
  readonly pollMs: number;
  readonly say: (line: string) => void;
}

/** Checks that a table can be restored to the time. Throws an Error with the possible period. */
export async function checkRestorable({ dynamo, source, to }: TableRestore): Promise<void> {
  const { ContinuousBackupsDescription: backups } = await dynamo.send(
    new DescribeContinuousBackupsCommand({ TableName: source }),
  );
  const span = backups?.PointInTimeRecoveryDescription;
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = span ?? {};
  if (earliest === undefined || latest === undefined)
    throw new Error(`${source} cannot be restored, because it has no point-in-time recovery.`);
  if (to < earliest || to > latest) {
    const [from, until] = [earliest, latest].map((time) => time.toISOString());
    throw new Error(
      `${source} cannot be restored to ${to.toISOString()}. The time must be between ${from} and ${until}.`,
    );
  }
}

/** Starts a restore into a new table unless it has started already. Does not wait for it. */
export async function startRestore(restore: TableRestore): Promise<void> {
  const { dynamo, source, target, to, say } = restore;
  const found = await describe(restore);
  if (found === undefined) {
    await dynamo.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: source,
        TargetTableName: target,
        RestoreDateTime: to,
      }),
    );
    say(`${target}: being restored from ${source}`);
    return;
  }
  const at = found.RestoreSummary?.RestoreDateTime;
  if (at?.getTime() !== to.getTime()) {
    throw new Error(
      `${target} exists but was not restored to ${to.toISOString()}. Delete it, or choose another time.`,
    );
  }
  say(`${target}: already restored`);
}

/**
 * Waits for a restored table, then enables what a restore omits: stream, expiry, point-in-time
 * recovery and deletion protection.
 */
export async function finishRestore(restore: TableRestore): Promise<void> {
  const { dynamo, target: TableName, say } = restore;
  let table = await active(restore);
  if (!table.StreamSpecification?.StreamEnabled) {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } as const;
    await dynamo.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    table = await active(restore);
  }
  if (!table.DeletionProtectionEnabled) {
    await dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
    await active(restore);
  }
  const { TimeToLiveDescription: expiry } = await dynamo.send(new DescribeTimeToLiveCommand({ TableName }));
  if (expiry?.TimeToLiveStatus !== "ENABLED" && expiry?.TimeToLiveStatus !== "ENABLING") {
    const TimeToLiveSpecification = { AttributeName: "expiresAtSeconds", Enabled: true };
    await dynamo.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
  const { ContinuousBackupsDescription: backups } = await dynamo.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus !== "ENABLED") {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 };
    await dynamo.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  }
  say(`${TableName}: restored, with its stream, expiry, point-in-time recovery and deletion protection`);
}

/** Returns the name of the table that was restored. */
export async function sourceOf(restored: Pick<TableRestore, "dynamo" | "target">): Promise<string> {
  const source = (await describe(restored))?.RestoreSummary?.SourceTableArn?.split("/").at(-1);
  if (source === undefined)
    throw new Error(`${restored.target} is not a restored table: its source is unknown.`);
  return source;
}

async function active(restore: TableRestore): Promise<TableDescription> {
  for (;;) {
    const table = await describe(restore);
    const indexes = table?.GlobalSecondaryIndexes ?? [];
    const isReady = [table?.TableStatus, ...indexes.map(({ IndexStatus }) => IndexStatus)].every(
      (status) => status === "ACTIVE",
    );
    if (table !== undefined && isReady) return table;
    await delay(restore.pollMs);
  }
}

async function describe({
  dynamo,
  target,
}: Pick<TableRestore, "dynamo" | "target">): Promise<TableDescription | undefined> {
  try {
    return (await dynamo.send(new DescribeTableCommand({ TableName: target }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
