import { newId } from "../../../shared/id.ts";
import { entryOf } from "../../../shared/listing/listed-kind.ts";
import { rebuildList } from "../../../shared/listing/rebuild-list.ts";
import { webhookKey } from "../../../shared/table/webhook-keys.ts";
import { writeBatch } from "../../../shared/table/write-batch.ts";

/**
 * A Program's notifications, one a second from a time on, as its list has them after a while: in a run. Only the last ones have records too, which takes less time.
 *
 * @returns Their ids, oldest first.
 */
export async function writeNotifications(
  programId: string,
  count: number,
  firstAt: number,
  records = 0,
): Promise<string[]> {
  const notifications = Array.from({ length: count }, (_, index) => ({
    programId,
    transIdSc: newId("notification"),
    eventType: 1 + (index % 4),
    cardId: newId("card"),
    body: "{}",
    bodySha256: "0".repeat(64),
    createdAt: new Date(firstAt + index * 1000).toISOString(),
  }));
  await rebuildList({ programId, kind: "notifications" }, async () =>
    notifications.map((one) => entryOf("notifications", one.transIdSc, one)),
  );
  const recorded = notifications.slice(count - records);
  await writeBatch(
    recorded.map((one) => ({ put: { ...webhookKey.notification(programId, one.transIdSc), ...one } })),
  );
  return notifications.map(({ transIdSc }) => transIdSc);
}
