import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { type JobKind, jobKinds, OutboxEvent } from "../../shared/contract/outbox.ts";
import { environment } from "../../shared/platform/environment.ts";
import { correlate, log } from "../../shared/platform/log.ts";
import { consumeBatch } from "../../shared/platform/queue/consume-batch.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { nextStep } from "../../shared/platform/queue/steps.ts";

/** The bus sends it, or a job that goes on. */
const Message = z.object({
  detail: OutboxEvent.extend({ kind: z.enum(jobKinds) }),
  steps: z.int().optional(),
});

/** Takes one step, and returns the detail of the next one, or nothing after the last. */
type Job = (event: OutboxEvent) => Promise<OutboxEvent["detail"] | undefined>;

/** Each is imported by its first message: it reads what no other job does. */
const jobs: Readonly<Record<JobKind, () => Promise<Job>>> = {
  "control.simulated": async () =>
    (await import("../../shared/simulations/simulate-in-steps.ts")).simulateInSteps,
  "settlement.requested": async () => {
    const { compareWebhooks } = await import("../../shared/notifications/delivery/compare-webhooks.ts");
    const { reportSettlement } = await import("../../shared/settlements/reconcile.ts");
    return (event) => reportSettlement(event, compareWebhooks);
  },
  "statement.requested": async () =>
    (await import("../../shared/statements/make-statement-file.ts")).makeStatementFile,
  "bulk.requested": async () => (await import("../../shared/bulk/run-bulk.ts")).runBulk,
  "ledger.requested": async () => (await import("../../shared/books/make-books-file.ts")).makeBooksFile,
  "top_up.due": async () => (await import("../../shared/top-ups/top-up-card.ts")).topUpInSteps,
  "report.requested": async () => (await import("../../shared/reports/make-report.ts")).makeReport,
};

/**
 * Takes one step of a job, and sends the rest to the end of the queue, so that jobs take turns. A
 * step that is repeated does the same again, or nothing if a later one is done.
 */
export function takeSteps(event: SQSEvent): Promise<SQSBatchResponse> {
  return consumeBatch(event, async ({ body }) => {
    const { detail: begun, steps } = Message.parse(JSON.parse(body));
    const { kind, programId, eventId, cause } = begun;
    correlate({ ...cause, eventId });
    const job = await jobs[kind]();
    const detail = await job(begun);
    const rest = detail && { body: { detail: { ...begun, detail }, steps: nextStep(steps) } };
    // A Program with many jobs delays no other's.
    if (rest) await sendMessages(environment.jobsQueueUrl, [{ ...rest, groupId: programId }]);
    log.info("The job took a step.", { kind, isDone: rest === undefined });
  });
}
