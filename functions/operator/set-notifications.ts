import { setNotificationSettings } from "../../shared/delivery/notification-settings.ts";
import { CommandRefused, requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import type { Command } from "./command.ts";

/**
 * Sets where the Tenant's reminders go, as PUT /account/notification-settings does.
 *
 * @throws CommandRefused when there is no such Tenant, or the URL is none that the platform sends to.
 */
export const setNotifications: Command<"set-notifications"> = async (input, actor) => {
  const { tenantId, channel } = input;
  const result = await setNotificationSettings(tenantId, input, actor, "url");
  if ("fault" in result) throw new CommandRefused(`url: ${result.fault.message}`);
  const { settings, isNew, outcome } = result;
  requireCommitted(outcome);
  return { channel, ...(isNew && settings.channel === "webhook" && { secret: settings.secret }) };
};
