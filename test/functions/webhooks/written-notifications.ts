import { createHash } from "node:crypto";
import { toEntry } from "../../../shared/lists/kind.ts";
import { rebuildList } from "../../../shared/lists/rebuild.ts";
import { notificationList } from "../../../shared/notifications/notification.ts";
import { newId } from "../../../shared/platform/id.ts";

/**
 * One per second from a given time, in a segment. They have no records: no page reads them.
 * @returns Their ids, oldest first.
 */
export async function writeNotifications(
  programId: string,
  count: number,
  firstAt: number,
): Promise<string[]> {
  const notifications = Array.from({ length: count }, (_, index) => ({
    programId,
    transIdSc: newId("notification"),
    eventType: 1 + (index % 4),
    cardId: newId("card"),
    bodySha256: createHash("sha256").update(String(index)).digest("hex"),
    createdAt: new Date(firstAt + index * 1000).toISOString(),
  }));
  await rebuildList({ programId, kind: notificationList }, async () =>
    notifications.map((one) => toEntry(notificationList, one.transIdSc, one)),
  );
  return notifications.map(({ transIdSc }) => transIdSc);
}
