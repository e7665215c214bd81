import * as z from "zod";
import { idPrefixes } from "./identifiers.ts";
import { besideOtherFaults, id, text, timestamp } from "./primitives.ts";
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

/** Why the platform switched an endpoint off: it answered 410, or nothing but failures for five days. */
export const WebhookDisabledReason = z.enum(["GONE", "FAILING"]);
export type WebhookDisabledReason = z.output<typeof WebhookDisabledReason>;

/** The alert about it, sent by the Tenant's notification settings. */
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

/** Days before a certificate's end at which its Tenant is reminded, the last first. */
export const reminderDays = [5, 15, 30] as const;
export type ReminderDays = (typeof reminderDays)[number];

/** Names the certificate and the day count, so that a Tenant can recognize a duplicate. */
const reminderId = z.string().regex(new RegExp(`^${idPrefixes.certificate}_[0-9A-Z]{26}-(30|15|5)$`));

/** A reminder's body: sent by webhook as it is, and by email as a text. */
export const CertificateReminder = z.strictObject({
  NotificationId: reminderId,
  NotificationType: z.literal("CERTIFICATE_EXPIRY"),
  /** 30, 15 or 5; what is really left, in whole days begun, where the reminder is late. */
  DaysRemaining: z.int().min(1).max(30),
  CertSerialNumber: z.string(),
  CertSubject: z.string(),
  CertNotAfter: timestamp,
  DateCreated: timestamp,
});
export type CertificateReminder = z.output<typeof CertificateReminder>;
