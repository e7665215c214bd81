import * as z from "zod";
import { besideOtherFaults, text, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

const channel = z.enum(["email", "webhook"]);

export const NotificationSettingsUpdate = z
  .object({
    channel,
    /** With `email`. */
    email: z.email().max(254).optional(),
    /** With `webhook`. */
    url: text(2048).optional(),
  })
  .refine((body) => body.channel !== "email" || body.email !== undefined, {
    path: ["email"],
    message: "is required with this channel",
    when: besideOtherFaults,
  })
  .refine((body) => body.channel !== "webhook" || body.url !== undefined, {
    path: ["url"],
    message: "is required with this channel",
    when: besideOtherFaults,
  });

export const NotificationSettingsView = z.object({
  /** Null until a channel is set. Without one, no reminder is sent. */
  channel: channel.nullable(),
  email: z.string().optional(),
  url: z.string().optional(),
  /** Signs what is sent to the URL (Standard Webhooks). Shown here once, when the URL is new. */
  secret: z.string().optional(),
  dateUpdated: timestamp.nullable(),
});
export type NotificationSettingsView = z.output<typeof NotificationSettingsView>;

const route = routesOf({ api: "platform", function: "account", level: "tenant" });

export const accountNotificationRoutes = [
  route("GET /account/notification-settings", "View the notification settings", {
    data: NotificationSettingsView,
  }),
  route("PUT /account/notification-settings", "Set the notification settings", {
    body: NotificationSettingsUpdate,
    data: NotificationSettingsView,
  }),
];
