import { type Store, useStore } from "../../../infra/commands/audit/connect-store.ts";

/** The ids of a Program's notifications in the store, and of those that were delivered. */
export async function notificationsIn(store: Store, programId: string) {
  useStore(store);
  // Imported only now: what these import reads the environment.
  const [{ paginateScan }, { table }, { parseNotification }] = await Promise.all([
    import("@aws-sdk/lib-dynamodb"),
    import("../../../shared/platform/table/client.ts"),
    import("../../../shared/notifications/stored-notification.ts"),
  ]);
  const prefix = `${programId}#NOTIFICATION#`;
  const [all, delivered] = [new Set<string>(), new Set<string>()];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName: store.issuingTable })) {
    for (const item of Items) {
      const notification = parseNotification(item);
      if (notification?.programId === programId) all.add(notification.transIdSc);
      const { pk, delivered: isDelivered } = item;
      if (isDelivered && String(pk).startsWith(prefix)) delivered.add(String(pk).slice(prefix.length));
    }
  }
  return { all, delivered };
}
