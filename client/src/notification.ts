import type { z } from "zod";
import type { CertificateReminder, WebhookDisabledNotice } from "../../shared/contract/alerts.ts";
import type { ChosenBody } from "../../shared/contract/chosen-notifications.ts";
import type {
  DepositData,
  DepositOriginal,
  HoldData,
  HoldOriginal,
  NotificationEnvelope,
  SettlementData,
  SettlementOriginal,
} from "../../shared/contract/notifications.ts";
import type { OtpCallback } from "../../shared/contract/otp.ts";
import { type SignedHeaders, verify } from "./verify.ts";

/** A transaction's three layers. `SpData` and `OriginalDataFromSp` are sent as JSON in strings. */
interface Layers<D, O> extends Omit<NotificationEnvelope, "SpData"> {
  readonly SpData: Omit<D, "OriginalDataFromSp"> & { readonly OriginalDataFromSp: O };
}

export type TransactionNotification =
  | Layers<HoldData, z.output<typeof HoldOriginal>>
  | Layers<SettlementData, z.output<typeof SettlementOriginal>>
  | Layers<z.output<typeof DepositData>, z.output<typeof DepositOriginal>>;

/** What became of a Card, a deposit, …: `type` tells them apart. */
export type ChangeNotification = ChosenBody;

export type Notification =
  | { readonly kind: "change"; readonly notification: ChangeNotification }
  | { readonly kind: "transaction"; readonly notification: TransactionNotification }
  | { readonly kind: "oneTimePasscode"; readonly notification: OtpCallback }
  | { readonly kind: "certificateReminder"; readonly notification: CertificateReminder }
  | { readonly kind: "webhookDisabled"; readonly notification: WebhookDisabledNotice }
  | { readonly kind: "ping"; readonly notification: WebhookPing };

/** What `POST /webhooks/{webhookId}/ping` sends. */
export interface WebhookPing {
  readonly type: "ping";
  readonly webhookId: string;
  readonly dateCreated: string;
}

/**
 * Verifies and parses a notification. Pass the raw body and all valid secrets (two after a
 * rotation). @throws WebhookVerificationError if no secret fits or the message is older than five
 * minutes
 */
export function verifyNotification(
  secrets: readonly string[],
  headers: SignedHeaders,
  body: string | Buffer,
): Notification {
  verify(secrets, headers, body);
  return readNotification(body);
}

/** Parses a notification that is already verified. */
export function readNotification(body: string | Buffer): Notification {
  const content = JSON.parse(body.toString()) as Record<string, unknown>;
  if ("eventType" in content && "subjectId" in content)
    return { kind: "change", notification: content as unknown as ChangeNotification };
  if ("SpData" in content) return { kind: "transaction", notification: layersOf(content) };
  return { kind: kindOf(content), notification: content } as unknown as Notification;
}

function kindOf({ type, NotificationType: told }: Record<string, unknown>): Notification["kind"] {
  if (type === "ping") return "ping";
  if (told === undefined) return "oneTimePasscode";
  return told === "WEBHOOK_DISABLED" ? "webhookDisabled" : "certificateReminder";
}

function layersOf(content: Record<string, unknown>): TransactionNotification {
  const spData = JSON.parse(String(content.SpData)) as Record<string, unknown>;
  const original: unknown = JSON.parse(String(spData.OriginalDataFromSp));
  return { ...content, SpData: { ...spData, OriginalDataFromSp: original } } as never;
}
