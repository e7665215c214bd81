import { readReplay, toReplayView } from "../../shared/delivery/replay.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
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
