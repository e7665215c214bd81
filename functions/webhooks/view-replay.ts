import { ApiError } from "../../shared/api-error.ts";
import { now } from "../../shared/clock.ts";
import { readReplay, toReplayView } from "../../shared/webhook/replay-record.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * How far a replay has come.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewReplay: WebhookOperations["GET /webhooks/replays/{replayId}"] = async ({
  scope: { programId },
  path: { replayId },
}) => {
  const replay = await readReplay(programId, replayId);
  if (!replay) throw new ApiError("NOT_FOUND");
  return toReplayView(replay, now());
};
