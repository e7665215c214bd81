import type { Webhook } from "../../shared/adapters/processor-port.ts";
import type { Connection } from "../../shared/tenancy/connections/connection.ts";

export interface WebhookAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface WebhookSource {
  readonly programId: string;
  readonly connection: Connection;
}

/** Takes the webhooks of one adapter. */
export interface WebhookReceiver {
  verify(webhook: Webhook, secret: string): boolean;
  /** @throws RefusedInputError for what is kept */
  apply(webhook: Webhook, source: WebhookSource): Promise<WebhookAnswer>;
}

/** The sender need not wait for what happens next. */
export const accepted: WebhookAnswer = { status: 200, body: { status: "success" } };
