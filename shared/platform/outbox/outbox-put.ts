import * as z from "zod";
import { OutboxEvent, type RelayedEvent, TenantOutboxEvent } from "../../contract/outbox.ts";
import type { OutsideDetail, OutsideKind } from "../../contract/outside.ts";
import { now, timestamp, unixSeconds } from "../clock.ts";
import { newId } from "../id.ts";
import { cause } from "../log.ts";
import { defineEntity } from "../table/entity.ts";

const expiry = { expiresAtSeconds: z.int() };

export const outboxItems = defineEntity({
  name: "outbox",
  schema: z.discriminatedUnion("kind", [OutboxEvent.extend(expiry), TenantOutboxEvent.extend(expiry)]),
  key: (ownerId: string, eventId: string) => ({ pk: `${ownerId}#OUTBOX#${eventId}`, sk: "OUTBOX" }),
});

const keptSeconds = 30 * 86_400;

/** Goes into the transaction of the change. Kept for 30 days, to be republished by hand. */
export function outboxPut(
  programId: string,
  kind: OutboxEvent["kind"],
  detail: OutboxEvent["detail"],
  at: Date = now(),
) {
  return eventPut(programId, { ...common(at), kind, programId, detail });
}

/** Asks somebody outside for what happens next. */
export function outsidePut<K extends OutsideKind>(programId: string, kind: K, detail: OutsideDetail<K>) {
  return outboxPut(programId, kind, detail);
}

export function tenantOutboxPut(
  tenantId: string,
  kind: TenantOutboxEvent["kind"],
  detail: TenantOutboxEvent["detail"],
  at: Date,
) {
  return eventPut(tenantId, { ...common(at), kind, tenantId, detail });
}

function common(at: Date) {
  const known = cause();
  return { eventId: newId("event"), occurredAt: timestamp(at), ...(known && { cause: known }) };
}

/** An event as an item of its own. */
export function eventPut(ownerId: string, event: RelayedEvent) {
  const expiresAtSeconds = unixSeconds(new Date(event.occurredAt)) + keptSeconds;
  return outboxItems.at(ownerId, event.eventId).create({ ...event, expiresAtSeconds });
}
