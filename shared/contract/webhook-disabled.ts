import * as z from "zod";
import { id, timestamp } from "./primitives.ts";

/** Why the platform switched an endpoint off: it answered 410, or nothing but failures for five days. */
export const WebhookDisabledReason = z.enum(["GONE", "FAILING"]);
export type WebhookDisabledReason = z.output<typeof WebhookDisabledReason>;

/** What tells a Tenant of it, by its notification settings. */
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
