import type { Webhook } from "../../shared/adapters/processor-port.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { type BankReport, ReportResult } from "../../shared/contract/bank.ts";
import type { CustodyReport } from "../../shared/contract/custody.ts";
import { type ProcessorEvent, ProcessorResult } from "../../shared/contract/processor.ts";
import { environment } from "../../shared/platform/environment.ts";
import { invokeFunction } from "../../shared/platform/invoke-function.ts";
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

/** The sender waits for the result. A repetition gets the first one. */
export async function applyNow(event: ProcessorEvent): Promise<ProcessorResult> {
  return ProcessorResult.parse(await invokeFunction(environment.processorFunction, event));
}

/**
 * This function, which anyone can reach, has no right to change what the report changes.
 * @throws RefusedInputError if nothing was applied
 */
export async function applyReport(report: BankReport | CustodyReport): Promise<void> {
  const outcome = ReportResult.parse(await invokeFunction(environment.processorFunction, report));
  if (outcome.status === "rejected") throw new RefusedInputError("VALIDATION_FAILED", outcome.reason);
}
