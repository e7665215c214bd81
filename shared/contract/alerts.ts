import * as z from "zod";
import { idPrefixes } from "./identifiers.ts";
import { sentAddress } from "./mail-address.ts";
import { besideOtherFaults, id, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

const channel = z.enum(["email", "webhook"]);

export const NotificationSettingsUpdate = z
  .object({
    channel,
    /** Required for the channel `email`. */
    email: sentAddress.optional(),
    /** Required for the channel `webhook`. */
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
  /** Null until a channel is set. Without a channel, no reminders are sent. */
  channel: channel.nullable(),
  email: z.string().optional(),
  url: z.string().optional(),
  /**
   * Signs the messages to the URL (Standard Webhooks). Returned only once, when the URL changes.
   */
  secret: z.string().optional(),
  dateUpdated: timestamp.nullable(),
});
export type NotificationSettingsView = z.output<typeof NotificationSettingsView>;

const route = routesWith({ api: "platform", function: "account", level: "tenant" });

export const accountNotificationRoutes = [
  route("GET /account/notification-settings", "read viewNotifications", "View the notification settings", {
    data: NotificationSettingsView,
  }),
  route("PUT /account/notification-settings", "write setNotifications", "Set the notification settings", {
    body: NotificationSettingsUpdate,
    data: NotificationSettingsView,
  }),
];

/**
 * Why the platform disabled an endpoint: it answered 410, or all attempts of five days failed.
 */
export const WebhookDisabledReason = z.enum(["GONE", "FAILING"]);
export type WebhookDisabledReason = z.output<typeof WebhookDisabledReason>;

/** The platform disabled a webhook endpoint. Sent through the Tenant's notification settings. */
export const WebhookDisabledNotice = z.object({
  NotificationId: z.string(),
  NotificationType: z.literal("WEBHOOK_DISABLED"),
  ProgramId: id("program"),
  WebhookId: id("webhook"),
  Url: z.string(),
  Reason: WebhookDisabledReason,
  DateCreated: timestamp,
});
export type WebhookDisabledNotice = z.output<typeof WebhookDisabledNotice>;

/** Days before a certificate's end. The last reminder comes first. */
export const reminderDays = [5, 15, 30] as const;
export type ReminderDays = (typeof reminderDays)[number];

/** Certificate and day count, so that a Tenant can recognize duplicates. */
const reminderId = z.string().regex(new RegExp(`^${idPrefixes.certificate}_[0-9A-Z]{26}-(30|15|5)$`));

/** A client certificate expires soon. Sent as this body by webhook, or as text by email. */
export const CertificateReminder = z.strictObject({
  NotificationId: reminderId,
  NotificationType: z.literal("CERTIFICATE_EXPIRY"),
  /** 30, 15 or 5. If the reminder is late: the days that are left, rounded up. */
  DaysRemaining: z.int().min(1).max(30),
  CertSerialNumber: z.string(),
  CertSubject: z.string(),
  CertNotAfter: timestamp,
  DateCreated: timestamp,
});
export type CertificateReminder = z.output<typeof CertificateReminder>;
