import * as z from "zod";
import { findNetworkFacts } from "../contract/card-network.ts";
import { ProcessorResult } from "../contract/processor.ts";
import { now, timestamp } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { type OfProgram, Redelivery, redeliveryPut } from "./change.ts";

type Followed = "transId" | "feeId" | "chargebackId" | "disputeId";

/** An event from outside, or of the platform in the place of one. It has an effect once. */
export interface SentEvent extends OfProgram, Partial<Record<Followed, string | undefined>> {
  readonly kind: string;
  readonly eventId: string;
  readonly amount?: number | undefined;
  readonly cardId?: string | undefined;
  /** Hashes what was sent under the id, where the sender may use one twice. */
  readonly requestHash?: string | undefined;
  readonly status?: number | string | undefined;
}

/** What any event's record has. */
export const appliedFields = {
  kind: z.string(),
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
  const { kind, cardId, requestHash, transId, feeId, chargebackId, disputeId, amount, status } = event;
  // A reversal's result may be less than was sent.
  const reversed = kind === "authorization_reversal" && amount !== undefined ? kind : undefined;
  const id = transId ?? feeId ?? chargebackId ?? disputeId ?? reversed;
  return { kind, cardId, requestHash, follows: id && [id, amount, status].join(), appliedAt: timestamp(at) };
}

/** The record of an event without effect. */
export function rejectionRecord(event: SentEvent, result: ProcessorResult, at: Date): WriteAction {
  return appliedEvents.at(event.programId, event.eventId).create({ ...beginRecord(event, at), result });
}

/** Whether the event only has the record's `eventId`. What is asked about, and told, has one. */
export function isAnother(event: SentEvent, first: AppliedEvent): boolean {
  const own = beginRecord(event, now());
  const names = ["cardId", "requestHash", "follows"] as const;
  if (names.some((name) => first[name] !== undefined && first[name] !== own[name])) return true;
  const isTold = event.kind === "authorization_advice" && /^authorization(_incremental)?$/.test(first.kind);
  if (first.kind !== event.kind && !isTold) return true;
  if (!findNetworkFacts(event).movesAmount || first.result?.outcome !== "applied") return false;
  return event.amount !== undefined && first.result.amount !== event.amount;
}

/** A repetition sends the notifications of the first result again. */
export async function redeliver(programId: string, { notifications }: AppliedEvent): Promise<void> {
  const all = [notifications ?? []].flat();
  if (all.length > 0) await transact(all.map((one) => redeliveryPut(programId, one, now())));
}
