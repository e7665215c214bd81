import type { NotificationSettingsView } from "../../shared/contract/alerts.ts";
import {
  type NotificationRequest,
  type NotificationSettings,
  notificationSettings,
  setNotificationSettings,
} from "../../shared/notifications/delivery/notification-settings.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";

/** Never shows the signing secret. */
export const viewNotifications: Operations["GET /account/notification-settings"] = async ({ scope }) => {
  const settings = await notificationSettings.at(scope.tenantId).get();
  return settings ? notificationsView(settings) : { channel: null, dateUpdated: null };
};

/**
 * Shows the signing secret once, when the URL is new.
 * @throws ApiError VALIDATION_FAILED for a URL that the platform does not send to
 */
export const setNotifications: Operations["PUT /account/notification-settings"] = async (request) => {
  const { tenantId } = request.scope;
  const { channel, email = "", url = "" } = request.body;
  const wanted: NotificationRequest = channel === "email" ? { channel, email } : { channel, url };
  const result = await setNotificationSettings(tenantId, wanted, toActor(request), "body.url");
  if ("fault" in result) throw new ApiError("VALIDATION_FAILED", [result.fault]);
  const { settings, isNew, outcome } = result;
  if (!outcome.committed) throw new Error(`The Tenant ${tenantId} does not exist.`);
  const secret = isNew && settings.channel === "webhook" ? settings.secret : undefined;
  return { ...notificationsView(settings), secret };
};

/** Leaves the secret out. */
function notificationsView(settings: NotificationSettings): NotificationSettingsView {
  const { channel, updatedAt: dateUpdated } = settings;
  return settings.channel === "email"
    ? { channel, email: settings.email, dateUpdated }
    : { channel, url: settings.url, dateUpdated };
}
