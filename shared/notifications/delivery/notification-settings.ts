import * as z from "zod";
import type { Fault } from "../../contract/errors.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { receiverFault } from "../../platform/callbacks/receiver.ts";
import { newSigningSecret } from "../../platform/callbacks/signature.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { type TransactionOutcome, transact } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../../tenancy/audit-log.ts";
import { tenantExists } from "../../tenancy/tenant.ts";

const common = { tenantId: id("tenant"), updatedAt: timestamp, updatedBy: z.string() };

/** Where a Tenant's alerts go: by email, or to a URL of its own, signed. */
export const NotificationSettings = z.discriminatedUnion("channel", [
  z.object({ ...common, channel: z.literal("email"), email: z.string() }),
  z.object({ ...common, channel: z.literal("webhook"), url: z.string(), secret: z.string() }),
]);
export type NotificationSettings = z.output<typeof NotificationSettings>;

export const notificationSettings = defineEntity({
  name: "notification settings",
  table: "accounts",
  schema: NotificationSettings,
  key: (tenantId: string) => ({ pk: tenantId, sk: "NOTIFICATION_SETTINGS" }),
});

export type NotificationRequest =
  | { readonly channel: "email"; readonly email: string }
  | { readonly channel: "webhook"; readonly url: string };

type NotificationOutcome =
  | { readonly fault: Fault }
  | {
      readonly settings: NotificationSettings;
      /** True if this change made the secret, which is shown once. */
      readonly isNew: boolean;
      readonly outcome: TransactionOutcome;
    };

/** A new URL gets a new secret. An unusable URL is a fault at `path`. */
export async function setNotificationSettings(
  tenantId: string,
  request: NotificationRequest,
  actor: Actor,
  path: string,
): Promise<NotificationOutcome> {
  const fault = request.channel === "webhook" ? await receiverFault(request.url, path) : undefined;
  if (fault) return { fault };
  const before = await notificationSettings.at(tenantId).get();
  const { settings, isNew } = toSettings(tenantId, request, before, actor);
  const outcome = await transact([
    tenantExists(tenantId),
    notificationSettings.at(tenantId).put(settings),
    auditPut(actor, {
      tenantId,
      action: "notification-settings.update",
      subjectId: tenantId,
      before: before ? withoutSecret(before) : null,
      after: withoutSecret(settings),
    }),
  ]);
  return { settings, isNew, outcome };
}

function toSettings(
  tenantId: string,
  request: NotificationRequest,
  before: NotificationSettings | undefined,
  actor: Actor,
): { readonly settings: NotificationSettings; readonly isNew: boolean } {
  const common = { tenantId, updatedAt: actor.at, updatedBy: actor.by };
  if (request.channel === "email") {
    return { settings: { ...common, channel: "email", email: request.email }, isNew: false };
  }
  const { channel, url } = request;
  const kept = before?.channel === "webhook" && before.url === url ? before.secret : undefined;
  return {
    settings: { ...common, channel, url, secret: kept ?? newSigningSecret() },
    isNew: kept === undefined,
  };
}

function withoutSecret(settings: NotificationSettings): Record<string, unknown> {
  if (settings.channel === "email") return { channel: settings.channel, email: settings.email };
  return { channel: settings.channel, url: settings.url };
}
