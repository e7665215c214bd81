import { httpCompliance } from "../../shared/adapters/compliance/http.ts";
import type { Webhook } from "../../shared/adapters/processor-port.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";
import { isProgramSuspended } from "../../shared/tenancy/programs/suspended.ts";
import { WebhookIds } from "./remember-webhook.ts";
import { accepted, type WebhookReceiver, type WebhookSource } from "./webhook-receiver.ts";

interface StandardAdapter<Content> {
  /** @throws RefusedInputError */
  read(webhook: Webhook): Content;
  /** Once, however often it is called. @throws RefusedInputError if nothing was applied */
  apply(content: Content, programId: string): Promise<void>;
}

/** Receives from senders with `webhook-id` and `eventId`, which sign by Standard Webhooks. */
export function standardReceiver<Content extends { readonly eventId: string }>({
  read,
  apply,
}: StandardAdapter<Content>): WebhookReceiver {
  return {
    verify: (webhook, secret) => httpCompliance.verify(webhook, secret, now()),
    apply: async (webhook, source) => {
      const { programId, connection } = source;
      const content = read(webhook);
      const ids = { "webhook-id": webhook.headers["webhook-id"], eventId: content.eventId };
      const received = new WebhookIds({ programId, ...connection }, ids, content);
      try {
        await admit(received, webhook, source);
        await apply(content, programId);
      } catch (error) {
        if (error instanceof RefusedInputError) await received.release();
        throw error;
      }
      return accepted;
    },
  };
}

/**
 * The Tenant knows the secret: deposits and outcomes wait while it is suspended, and are kept once.
 * What the card network has decided is booked all the same.
 * @throws RefusedInputError
 * @throws ApiError UNAVAILABLE
 */
async function admit(received: WebhookIds, { body: input }: Webhook, source: WebhookSource): Promise<void> {
  const { programId, connection } = source;
  const isSuspended = await isProgramSuspended(programId);
  const isNew = await received.remember(!isSuspended);
  if (!isSuspended) return;
  const reason = "The Program is suspended. The sender was answered 503, to send it again.";
  if (isNew) await keepRefused({ port: connection.port, reason, input, programId });
  throw new ApiError("UNAVAILABLE");
}
