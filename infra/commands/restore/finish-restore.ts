import { setTimeout as delay } from "node:timers/promises";
import {
  DescribeContinuousBackupsCommand,
  DescribeContributorInsightsCommand,
  DescribeTimeToLiveCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateContributorInsightsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { describe, type TableRestore } from "./restore-tables.ts";

/** Waits for a restored table, then enables what a restore omits. */
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
    table = await active(restore);
  }
  await limitUnits(restore, table);
  await countThrottledKeys(restore, table);
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
  say(
    `${TableName}: restored, with its stream, expiry, point-in-time recovery, deletion protection and maximum throughput`,
  );
}

/** As the stack declares it: an import takes the table as it is. */
async function limitUnits(restore: TableRestore, table: TableDescription): Promise<void> {
  const { dynamo, target: TableName, units } = restore;
  const OnDemandThroughput = { MaxReadRequestUnits: units.reads, MaxWriteRequestUnits: units.writes };
  const indexes = table.GlobalSecondaryIndexes ?? [];
  const isSet = ({ OnDemandThroughput: found }: Pick<TableDescription, "OnDemandThroughput">) =>
    found?.MaxReadRequestUnits === units.reads && found.MaxWriteRequestUnits === units.writes;
  if ([table, ...indexes].every(isSet)) return;
  const changed = indexes.map(({ IndexName }) => ({ Update: { IndexName, OnDemandThroughput } }));
  const GlobalSecondaryIndexUpdates = changed.length > 0 ? changed : undefined;
  await dynamo.send(new UpdateTableCommand({ TableName, OnDemandThroughput, GlobalSecondaryIndexUpdates }));
  await active(restore);
}

async function countThrottledKeys(
  { dynamo, target: TableName }: TableRestore,
  { GlobalSecondaryIndexes = [] }: TableDescription,
): Promise<void> {
  for (const IndexName of [undefined, ...GlobalSecondaryIndexes.map((index) => index.IndexName)]) {
    const part = { TableName, IndexName };
    const { ContributorInsightsStatus: status } = await dynamo.send(
      new DescribeContributorInsightsCommand(part),
    );
    if (status === "ENABLED" || status === "ENABLING") continue;
    const settings = {
      ContributorInsightsAction: "ENABLE",
      ContributorInsightsMode: "THROTTLED_KEYS",
    } as const;
    await dynamo.send(new UpdateContributorInsightsCommand({ ...part, ...settings }));
  }
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
