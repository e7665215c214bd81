import * as z from "zod";
import { ProcessorResult } from "../contract/processor.ts";
import { now, timestamp } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { type OfProgram, Redelivery, redeliveryPut } from "./change.ts";

/** An event from outside, or of the platform in the place of one. It has an effect once. */
export interface SentEvent extends OfProgram {
  readonly kind: string;
  readonly eventId: string;
  readonly amount?: number | undefined;
  readonly cardId?: string | undefined;
  /** Hashes what was sent under the id, where the sender may use one twice. */
  readonly requestHash?: string | undefined;
  readonly transId?: string | undefined;
  readonly feeId?: string | undefined;
  readonly chargebackId?: string | undefined;
  readonly disputeId?: string | undefined;
  readonly status?: number | string | undefined;
}

/** What any event's record has. */
export const appliedFields = {
  kind: z.string(),
  /** Another Card's event under the id is another one. */
  cardId: z.string().optional(),
  requestHash: z.string().optional(),
  /** What it reverses or disputes, and how much, or its step. */
  follows: z.string().optional(),
  result: ProcessorResult.optional(),
  notifications: z.union([Redelivery, z.array(Redelivery)]).optional(),
  appliedAt: z.string(),
};

/** What became of an event: its result, and the notifications to send again with it. */
export const appliedEvents = defineEntity({
  name: "processorEvent",
  schema: z.object(appliedFields),
  key: (programId: string, eventId: string) => ({ pk: `${programId}#EVENT#${eventId}`, sk: "EVENT" }),
});
export type AppliedEvent = Omit<z.output<z.ZodObject<typeof appliedFields>>, "appliedAt">;

/** What the record of an event has of the event itself. */
export function beginRecord(event: SentEvent, at: Date) {
  const { kind, cardId, requestHash } = event;
  const told = { ...(cardId !== undefined && { cardId }), ...(requestHash !== undefined && { requestHash }) };
  const follows = whatItFollows(event);
  return { kind, ...told, ...(follows && { follows }), appliedAt: timestamp(at) };
}

/** What it reverses or disputes, of which it may move all, without an amount. */
function whatItFollows({ transId, feeId, chargebackId, disputeId, amount, status }: SentEvent) {
  const id = transId ?? feeId ?? chargebackId ?? disputeId;
  return id && [id, amount, status].join();
}

/** The record of an event without effect. */
export function rejectionRecord(event: SentEvent, result: ProcessorResult, at: Date): WriteAction {
  return appliedEvents.at(event.programId, event.eventId).create({ ...beginRecord(event, at), result });
}

/** They move their amount, whatever is there. */
const moving: ReadonlySet<string> = new Set(["clearing", "refund", "fee"]);

/** Whether the event only has the record's `eventId`. What is asked about, and told, has one. */
export function isAnother(
  event: SentEvent,
  { kind, cardId, requestHash, follows, result }: AppliedEvent,
): boolean {
  if (cardId !== undefined && cardId !== event.cardId) return true;
  if (follows !== undefined && follows !== whatItFollows(event)) return true;
  if (requestHash !== undefined && requestHash !== event.requestHash) return true;
  const isTold = event.kind === "authorization_advice" && /^authorization(_incremental)?$/.test(kind);
  if (kind !== event.kind && !isTold) return true;
  const { amount } = event;
  if (amount === undefined || !moving.has(event.kind)) return false;
  return result?.outcome === "applied" && result.amount !== amount;
}

/** A repetition sends the notifications of the first result again. */
export async function redeliver(programId: string, { notifications }: AppliedEvent): Promise<void> {
  const all = [notifications ?? []].flat();
  if (all.length > 0) await transact(all.map((one) => redeliveryPut(programId, one, now())));
}
