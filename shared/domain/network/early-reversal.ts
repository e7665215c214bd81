import * as z from "zod";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { unixSeconds } from "../../platform/clock.ts";
import { any, isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { Key } from "../../platform/table/keys.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import type { EventOf } from "./card-event.ts";
import type { PlannedEvent } from "./plan-event.ts";
import { isNamed, messageOf } from "./similar-event.ts";

const keptMs = 2 * 86_400_000;

/**
 * A reversal names a message without its reference, and may come first. Both write this: the second
 * one finds the id of the first.
 */
const NamedMessage = z.object({
  id: z.string(),
  isReversal: z.boolean().optional(),
  expiresAtSeconds: z.int(),
});
type NamedMessage = z.output<typeof NamedMessage>;

/** `name` is the id without the reference. */
export const namedMessages = defineEntity({
  name: "named",
  table: "issuing",
  schema: NamedMessage,
  key: (programId: string, cardId: string, name: string): Key => ({
    pk: `${programId}#NAMED#${cardId}#${name}`,
    sk: "NAMED",
  }),
});

/** Fails if a reversal has come that names the event's message, with another reference. */
export function namedWrites(event: PlannedEvent, at: Date): WriteAction[] {
  const field = ownIdField(event);
  const { id } = messageOf(event) ?? {};
  const isOwn = field && (event as unknown as Record<string, unknown>)[field] === id;
  return isOwn && id !== undefined && "cardId" in event ? namedWrite(event, { id }, at) : [];
}

/** Of a reversal for which nothing was found. Fails if what it names has come in this moment. */
export function earlyReversalWrites(event: EventOf<"authorization_reversal">, at: Date): WriteAction[] {
  const { authorizationId: id } = event;
  // Without DE90, it has the reference of what it reverses.
  return messageOf(event)?.id === id ? [] : namedWrite(event, { id, isReversal: true }, at);
}

function namedWrite(
  { programId, cardId }: { readonly programId: string; readonly cardId: string },
  { id, isReversal }: Pick<NamedMessage, "id" | "isReversal">,
  at: Date,
): WriteAction[] {
  const parts = id.split(".");
  if (parts.length !== 4 || !isNamed(parts[2])) return [];
  const item = {
    id,
    ...(isReversal && { isReversal }),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + keptMs)),
  };
  const isFree = isReversal ? any<NamedMessage>(isNew, { isReversal }) : { isReversal: undefined };
  const stored = namedMessages.at(programId, cardId, parts.toSpliced(1, 1).join("."));
  return [stored.put(item, any<NamedMessage>(isFree, { id }))];
}

/** The event with the id under which the other one has come. */
export function tiedTo<E extends ProcessorEvent>(event: E, failed: FailedConditions): E | undefined {
  const found = namedMessages.parse(failed.get("named"));
  if (!found) return undefined;
  if (event.kind === "authorization_reversal") {
    const originalEventId = event.originalEventId?.replace(event.authorizationId, found.id);
    return { ...event, authorizationId: found.id, originalEventId };
  }
  const field = ownIdField(event);
  return field && { ...event, [field]: found.id };
}

/** The field with the id by which a reversal names it. */
function ownIdField(event: PlannedEvent): "incrementId" | "authorizationId" | undefined {
  if (event.kind === "authorization_incremental") return "incrementId";
  const isAsked = event.kind === "authorization" || (event.kind === "atm_withdrawal" && !event.advice);
  return isAsked ? "authorizationId" : undefined;
}
