import { timestamp, unixSeconds } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { rejectedEvents } from "../transactions/rejected-event.ts";
import type { SentEvent } from "../transactions/transaction.ts";
import type { CardEvent } from "./plan.ts";
import type { PlannedEvent } from "./plan-event.ts";

/** What controls decline or count. */
export const controlledKinds: ReadonlySet<string> = new Set<CardEvent["kind"]>([
  "authorization",
  "authorization_advice",
  "authorization_incremental",
  "authorization_reversal",
  "authorization_expiry",
  "clearing",
  "atm_withdrawal",
]);

const kept = [
  "kind",
  "amount",
  "partialApprovalSupported",
  "entryMode",
  "srcCurrency",
  "final",
  "advice",
  "feeAmount",
  "withinHold",
  "failedCheck",
  "total",
] as const satisfies readonly (keyof SentEvent)[];

/** What a transaction has of its event beside its other attributes. */
export function toSentEvent(event: CardEvent): SentEvent | undefined {
  if (!controlledKinds.has(event.kind)) return undefined;
  const sent: Partial<Record<keyof SentEvent, unknown>> = event;
  const fields = kept.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]] as const]));
  const dueAt = "dueAt" in event && event.dueAt && timestamp(event.dueAt);
  const occurredAt = sent.total ? event.occurredAt : undefined;
  return {
    ...Object.fromEntries(fields),
    ...(dueAt && { dueAt }),
    ...(occurredAt && { occurredAt }),
  } as SentEvent;
}

/** Simulations go back 90 days. */
const rejectedKeptMs = 100 * 86_400_000;

/** A reversal or expiry without effect: it has one where its authorization is approved. */
export function rejectedEventWrites(event: PlannedEvent, at: Date): WriteAction[] {
  if (event.kind !== "authorization_reversal" && event.kind !== "authorization_expiry") return [];
  const { programId, cardId, authorizationId } = event;
  const sent = toSentEvent(event);
  const item = {
    authorizationId,
    createdAt: timestamp(at),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + rejectedKeptMs)),
  };
  return sent ? [rejectedEvents.at(programId, cardId, newId("event")).create({ ...item, event: sent })] : [];
}
