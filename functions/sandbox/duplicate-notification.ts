import { readNotification } from "../../shared/domain/notifications/notification.ts";
import { resendingPut } from "../../shared/domain/notifications/resending.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * The card network's side repeats the event that a notification speaks of: no money moves, and the stored bytes go out again.
 *
 * @throws ApiError NOT_FOUND
 */
export const duplicateNotification: SandboxOperations["POST /webhooks/events/{transIdSc}/duplicate"] =
  async ({ scope: { programId }, path: { transIdSc } }) => {
    const notification = await readNotification(programId, transIdSc);
    if (!notification) throw new ApiError("NOT_FOUND");
    const { eventType } = notification;
    await transact([resendingPut(programId, { notificationIds: [transIdSc], eventType }, now())]);
    return { transIdSc };
  };
