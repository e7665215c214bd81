import { createHash } from "node:crypto";
import type { AlertEvent, OtpChallenged, WebhookDisabled } from "../../shared/delivery/alert-event.ts";
import { reminderMessage, type TenantMessage } from "../../shared/delivery/reminder-message.ts";
import { type CallbackOutcome, sendCallback } from "../../shared/delivery/send-callback.ts";
import { otpCallback } from "../../shared/domain/passcodes/otp-callback.ts";
import { now } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import type { Email } from "../../shared/platform/send-email.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";
import { disabledMessage } from "./webhook-disabled.ts";

/** What came of a sending; an email is answered by no receiver. */
export type AlertOutcome =
  | CallbackOutcome
  | { readonly failure: "EMAIL_REFUSED"; readonly status?: number; readonly latencyMs: number };

/** What an attempt is to send. */
export interface Subject {
  /** Sends it once. Never rejects. */
  readonly send: () => Promise<AlertOutcome>;
  readonly bodySha256: string;
  /** After this nobody needs it any more. */
  readonly until?: Date;
}

/** Reads what is to be sent, and where to. Undefined where there is nothing to tell any more. */
export function readSubject(event: AlertEvent): Promise<Subject | undefined> {
  switch (event.kind) {
    case "otp.challenged":
      return readChallenged(event);
    case "certificate.expiring":
      return readReminder(event.tenantId, event.detail.reminderId);
    case "webhook.disabled":
      return readDisabled(event);
  }
}

async function readChallenged({ programId, eventId, detail }: OtpChallenged): Promise<Subject | undefined> {
  const callback = await otpCallback(programId, detail.listenerId, detail.challengeId);
  if (!callback) return undefined;
  const { until, ...sent } = callback;
  return {
    // Two subscriptions may have one receiver, which is to tell their callbacks from copies of one.
    send: () => sendCallback({ ...sent, messageId: eventId }),
    bodySha256: sha256(sent.body),
    until,
  };
}

async function readReminder(tenantId: string, reminderId: string): Promise<Subject | undefined> {
  return subjectOf(await reminderMessage(tenantId, reminderId));
}

async function readDisabled(event: WebhookDisabled): Promise<Subject | undefined> {
  const { tenantId } = await getProgram(event.programId);
  return subjectOf(await disabledMessage(tenantId, event));
}

function subjectOf(message: TenantMessage | undefined): Subject | undefined {
  if (!message) return undefined;
  if ("callback" in message) {
    const { callback } = message;
    return { send: () => sendCallback(callback), bodySha256: sha256(callback.body) };
  }
  return { send: () => mail(message.email), bodySha256: sha256(message.email.text) };
}

async function mail(email: Email): Promise<AlertOutcome> {
  const startedAt = now().getTime();
  const latencyMs = () => now().getTime() - startedAt;
  try {
    // With its client, which callbacks can do without.
    const { sendEmail } = await import("../../shared/platform/send-email.ts");
    await sendEmail(email);
    return { status: 200, latencyMs: latencyMs() };
  } catch (error) {
    log.warn("The email was not taken.", { error });
    return { failure: "EMAIL_REFUSED", latencyMs: latencyMs() };
  }
}

function sha256(body: Uint8Array | string): string {
  return createHash("sha256").update(body).digest("hex");
}
