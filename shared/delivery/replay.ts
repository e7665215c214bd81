import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { notificationsKeptSeconds } from "../contract/notifications.ts";
import type { ReplayView } from "../contract/webhooks.ts";
import { timestamp, unixSeconds } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { table } from "../platform/table/client.ts";
import { webhookKey } from "../platform/table/keys.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";

/** A replay without progress for this long is over: a lost one must not lock its Program. */
const patienceMs = 3_600_000;

export interface Replay {
  readonly programId: string;
  readonly replayId: string;
  readonly since: string;
  readonly total: number;
  /** Notifications whose deliveries are in their queues. */
  readonly sent: number;
  readonly isDone: boolean;
  /** Later with each progress. */
  readonly runsUntil: string;
}

const currentReplayWrite = "current replay";

/** Begins a replay: one at a time for each Program. */
export function replayPuts(
  { programId, replayId, since, total }: Pick<Replay, "programId" | "replayId" | "since" | "total">,
  at: Date,
): { readonly replay: Replay; readonly writes: WriteAction[] } {
  const TableName = environment.issuingTable;
  const runsUntil = runsUntilAt(at);
  const replay: Replay = { programId, replayId, since, total, sent: 0, isDone: false, runsUntil };
  const expiresAtSeconds = unixSeconds(at) + notificationsKeptSeconds;
  return {
    replay,
    writes: [
      {
        name: "replay",
        Put: { TableName, Item: { ...webhookKey.replay(programId, replayId), ...replay, expiresAtSeconds } },
      },
      {
        name: currentReplayWrite,
        Put: {
          TableName,
          Item: { ...webhookKey.currentReplay(programId), replayId, runsUntil },
          ConditionExpression: "attribute_not_exists(pk) OR runsUntil <= :at",
          ExpressionAttributeValues: { ":at": timestamp(at) },
        },
      },
    ],
  };
}

/** False if the replay has already advanced further, or is over. */
export async function advanceReplay(
  { programId, replayId, sent }: Pick<Replay, "programId" | "replayId" | "sent">,
  isDone: boolean,
  at: Date,
): Promise<boolean> {
  const TableName = environment.issuingTable;
  const runsUntil = isDone ? timestamp(at) : runsUntilAt(at);
  const { committed } = await transact([
    {
      name: "replay",
      Update: {
        TableName,
        Key: webhookKey.replay(programId, replayId),
        // What was written while the replay was counted makes it longer.
        UpdateExpression: `SET sent = :sent, runsUntil = :until, isDone = :done${isDone ? ", #total = :sent" : ""}`,
        ConditionExpression: "sent <= :sent AND isDone = :running",
        ...(isDone && { ExpressionAttributeNames: { "#total": "total" } }),
        ExpressionAttributeValues: {
          ":sent": sent,
          ":until": runsUntil,
          ":done": isDone,
          ":running": false,
        },
      },
    },
    {
      name: currentReplayWrite,
      Update: {
        TableName,
        Key: webhookKey.currentReplay(programId),
        UpdateExpression: "SET runsUntil = :until",
        ConditionExpression: "replayId = :replayId",
        ExpressionAttributeValues: { ":until": runsUntil, ":replayId": replayId },
      },
    },
  ]);
  return committed;
}

export async function readReplay(programId: string, replayId: string): Promise<Replay | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: webhookKey.replay(programId, replayId),
      ConsistentRead: true,
    }),
  );
  return Item as Replay | undefined;
}

export function toReplayView(
  { replayId, since, total, sent, isDone, runsUntil }: Replay,
  at: Date,
): ReplayView {
  const isRunning = !isDone && runsUntil > timestamp(at);
  return { replayId, status: isRunning ? "running" : "done", since, total, sent };
}

function runsUntilAt(at: Date): string {
  return timestamp(new Date(at.getTime() + patienceMs));
}
