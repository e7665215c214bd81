import { type Store, useStore } from "../../../infra/commands/audit/connect-store.ts";

/** The ids of a Program's notifications in the store, and of those that were delivered. */
export async function notificationsIn(store: Store, programId: string) {
  useStore(store);
  // Imported only now: what these import reads the environment.
  const [{ scanPages }, { parseNotification }] = await Promise.all([
    import("../../../shared/platform/table/query.ts"),
    import("../../../shared/notifications/stored-notification.ts"),
  ]);
  const prefix = `${programId}#NOTIFICATION#`;
  const [all, delivered] = [new Set<string>(), new Set<string>()];
  for await (const items of scanPages({ TableName: store.issuingTable })) {
    for (const item of items) {
      const notification = parseNotification(item);
      if (notification?.programId === programId) all.add(notification.transIdSc);
      const { pk, delivered: isDelivered } = item;
      if (isDelivered && String(pk).startsWith(prefix)) delivered.add(String(pk).slice(prefix.length));
    }
  }
  return { all, delivered };
}
