import * as z from "zod";
import { timestamp, unixSeconds } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { defined } from "../platform/pick.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { SentEvent } from "../transactions/transaction.ts";
import { findFacts, type PlannedEvent, toSentEvent } from "./card-event.ts";

/** Simulations go back 90 days. */
const silentKeptMs = 100 * 86_400_000;

/**
 * An event of an authorization that leaves no transaction: rejected, or done already. It has an
 * effect where another control decides what came before it.
 */
export function silentEventWrites(event: PlannedEvent, at: Date): WriteAction[] {
  if (!("authorizationId" in event) || event.authorizationId === undefined) return [];
  if (!findFacts(event).isKept) return [];
  const { programId, cardId, authorizationId, occurredAt } = event;
  const { billingCurrency } = { billingCurrency: undefined, ...event };
  const sent = {
    ...toSentEvent(event),
    kind: event.kind,
    ...defined({ occurredAt, billingCurrency }),
  };
  const item = {
    authorizationId,
    event: sent,
    createdAt: timestamp(at),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + silentKeptMs)),
  };
  return [silentEvents.at(programId, cardId, newId("event")).create(item)];
}

/**
 * A reversal, expiry, clearing or withdrawal that leaves no transaction. Simulations need it: its
 * authorization may be open there, or its withdrawal declined.
 */
export const silentEvents = defineEntity({
  name: "silentEvent",
  schema: z.object({
    authorizationId: z.string(),
    event: SentEvent,
    createdAt: z.string(),
    expiresAtSeconds: z.int(),
  }),
  key: (programId: string, cardId: string, eventId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `REFUSED#${eventId}`,
  }),
});
