import * as z from "zod";
import { id, text, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

export const ReplayView = z.object({
  replayId: id("replay"),
  /** One runs at a time. One that makes no progress for an hour counts as done, with less sent than there is. */
  status: z.enum(["running", "done"]),
  since: timestamp,
  total: z.int(),
  /** Notifications on their way to their endpoints. */
  sent: z.int(),
});
export type ReplayView = z.output<typeof ReplayView>;

/** Names the only endpoint to send to. */
export const onlyEndpoint = { webhookId: text(64).optional() };

const route = routesOf({ api: "platform", function: "webhooks" });

export const replayRoutes = [
  route(
    "POST /webhooks/events/redeliver",
    "Send all notifications since a time again, to one endpoint or to all that want them",
    {
      body: z.object({ since: timestamp, ...onlyEndpoint }),
      data: ReplayView,
      errors: ["NOT_FOUND", "REPLAY_IN_PROGRESS"],
    },
  ),
  route("GET /webhooks/replays/{replayId}", "View how far a replay has come", {
    data: ReplayView,
    errors: ["NOT_FOUND"],
  }),
] as const;
