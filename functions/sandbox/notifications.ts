import { redeliveryPut } from "../../shared/changes/change.ts";
import { requireNotification } from "../../shared/notifications/stored-notification.ts";
import { now } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/** Sends the stored bytes again, as if the network had repeated its event. No money moves. */
export const duplicateNotification: Operations["POST /webhooks/events/{transIdSc}/duplicate"] = async ({
  scope: { programId },
  path: { transIdSc },
}) => {
  const { eventType } = await requireNotification(programId, transIdSc);
  await transact([redeliveryPut(programId, { notificationIds: [transIdSc], eventType }, now())]);
  return { transIdSc };
};
