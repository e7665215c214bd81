import { notificationSettings } from "../../shared/delivery/notification-settings.ts";
import { notificationsView } from "./notifications-view.ts";
import type { AccountOperations } from "./operations.ts";

/** Where reminders of certificates go; the secret that signs them is not shown again. */
export const viewNotifications: AccountOperations["GET /account/notification-settings"] = async ({
  scope,
}) => {
  const settings = await notificationSettings.at(scope.tenantId).get();
  return settings ? notificationsView(settings) : { channel: null, dateUpdated: null };
};
