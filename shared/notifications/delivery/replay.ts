import * as z from "zod";
import { notificationsKeptSeconds } from "../../contract/notifications.ts";
import type { ReplayView } from "../../contract/webhooks.ts";
import { timestamp, unixSeconds } from "../../platform/clock.ts";
import { runsUntilAt } from "../../platform/queue/steps.ts";
import { any, atMost, isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";

const Replay = z.object({
  programId: z.string(),
  replayId: z.string(),
  since: z.string(),
  total: z.int(),
  /** Notifications whose deliveries are in their queues. */
  sent: z.int(),
  isDone: z.boolean(),
  /** Later with each progress. */
  runsUntil: z.string(),
  expiresAtSeconds: z.int(),
});
export type Replay = Readonly<z.output<typeof Replay>>;

export const replays = defineEntity({
  name: "replay",
  schema: Replay,
  key: (programId: string, replayId: string) => ({ pk: `${programId}#REPLAY#${replayId}`, sk: "REPLAY" }),
});

const CurrentReplay = z.object({ replayId: z.string(), runsUntil: z.string() });
const currentReplays = defineEntity({
  name: "current replay",
  schema: CurrentReplay,
  key: (programId: string) => ({ pk: `${programId}#WEBHOOKS`, sk: "REPLAY" }),
});

/** Begins a replay: one at a time for each Program. */
export function replayPuts(
  begun: Pick<Replay, "programId" | "replayId" | "since" | "total">,
  at: Date,
): { readonly replay: Replay; readonly writes: WriteAction[] } {
  const { programId, replayId } = begun;
  const runsUntil = runsUntilAt(at);
  const expiresAtSeconds = unixSeconds(at) + notificationsKeptSeconds;
  const replay: Replay = { ...begun, sent: 0, isDone: false, runsUntil, expiresAtSeconds };
  const isFree = any<z.output<typeof CurrentReplay>>(isNew, { runsUntil: atMost(timestamp(at)) });
  return {
    replay,
    writes: [
      replays.at(programId, replayId).put(replay),
      currentReplays.at(programId).put({ replayId, runsUntil }, isFree),
    ],
  };
}

/** False if the replay has already advanced further, or is over. */
export async function advanceReplay(
  { programId, replayId, sent }: Pick<Replay, "programId" | "replayId" | "sent">,
  isDone: boolean,
  at: Date,
): Promise<boolean> {
  const runsUntil = isDone ? timestamp(at) : runsUntilAt(at);
  // Notifications that were written while the replay was counted make it longer.
  const progress = { sent, runsUntil, isDone, ...(isDone && { total: sent }) };
  const { committed } = await transact([
    replays.at(programId, replayId).update({ set: progress }, { sent: atMost(sent), isDone: false }),
    currentReplays.at(programId).update({ set: { runsUntil } }, { replayId }),
  ]);
  return committed;
}

export function toReplayView(
  { replayId, since, total, sent, isDone, runsUntil }: Replay,
  at: Date,
): ReplayView {
  const isRunning = !isDone && runsUntil > timestamp(at);
  return { replayId, status: isRunning ? "running" : "done", since, total, sent };
}
