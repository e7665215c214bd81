import type { NotificationSettingsView } from "../../shared/contract/account-notifications.ts";
import type { NotificationSettings } from "../../shared/delivery/notification-settings.ts";

/** The settings as they are answered: without the secret. */
export function notificationsView(settings: NotificationSettings): NotificationSettingsView {
  const { channel, updatedAt: dateUpdated } = settings;
  return settings.channel === "email"
    ? { channel, email: settings.email, dateUpdated }
    : { channel, url: settings.url, dateUpdated };
}
