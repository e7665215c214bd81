import * as z from "zod";
import { issuingKey, type Key } from "../platform/table/keys.ts";
import type { AlertMessage } from "./alert-event.ts";
import { ownerOf } from "./alert-event.ts";

/** What came of an attempt. */
export const AlertAttempt = z.object({
  attempt: z.int(),
  delivered: z.boolean(),
  responseStatus: z.int().optional(),
  error: z.string().optional(),
  latencyMs: z.int(),
  bodySha256: z.string(),
  createdAt: z.string(),
  /** When the next one is due; absent after the last. */
  nextAttemptAt: z.string().optional(),
});
export type AlertAttempt = z.output<typeof AlertAttempt>;

/** Where an attempt is recorded: beside the event that it is made for. */
export function attemptKey({ detail, attempt }: AlertMessage): Key {
  const { pk } = issuingKey.outbox(ownerOf(detail), detail.eventId);
  return { pk, sk: `ATTEMPT#${String(attempt).padStart(4, "0")}` };
}

/** The deadline of an attempt that is due later. Ends in the event's id, whose characters spread deadlines evenly. */
export function retryDeadlineId({ detail, attempt }: AlertMessage): string {
  return `alert|${attempt}|${detail.eventId}`;
}

/** The attempt that a deadline is for. */
export function attemptOfDeadline(deadlineId: string): {
  readonly attempt: number;
  readonly eventId: string;
} {
  const [, attempt, eventId] = deadlineId.split("|");
  return { attempt: z.coerce.number().int().min(1).parse(attempt), eventId: z.string().parse(eventId) };
}
