import * as z from "zod";
import { Cause } from "../contract/outbox.ts";
import { WebhookDisabledReason } from "../contract/webhook-disabled.ts";

const common = { eventId: z.string(), cause: Cause.optional() };

/** A Program's subscription to passcodes is to hear of a challenge. */
export const OtpChallenged = z.object({
  ...common,
  kind: z.literal("otp.challenged"),
  programId: z.string(),
  detail: z.object({ listenerId: z.string(), challengeId: z.string() }),
});
export type OtpChallenged = z.output<typeof OtpChallenged>;

/** A Tenant is to hear of a certificate that ends. */
export const CertificateExpiring = z.object({
  ...common,
  kind: z.literal("certificate.expiring"),
  tenantId: z.string(),
  detail: z.object({ reminderId: z.string() }),
});
export type CertificateExpiring = z.output<typeof CertificateExpiring>;

/** A Tenant is to hear of an endpoint that the platform has switched off. */
export const WebhookDisabled = z.object({
  ...common,
  kind: z.literal("webhook.disabled"),
  programId: z.string(),
  detail: z.object({
    webhookId: z.string(),
    url: z.string(),
    reason: WebhookDisabledReason,
    disabledAt: z.string(),
  }),
});
export type WebhookDisabled = z.output<typeof WebhookDisabled>;

/** An event that one receiver is told of: ids alone, by which is read at each attempt what to send, and where to. */
export const AlertEvent = z.discriminatedUnion("kind", [OtpChallenged, CertificateExpiring, WebhookDisabled]);
export type AlertEvent = z.output<typeof AlertEvent>;

/** Whose event it is. */
export function ownerOf(event: AlertEvent): string {
  return event.kind === "certificate.expiring" ? event.tenantId : event.programId;
}

/** One attempt to be made. As the bus delivers an event it is the first. */
export const AlertMessage = z.object({ detail: AlertEvent, attempt: z.int().min(1).default(1) });
export type AlertMessage = z.output<typeof AlertMessage>;
