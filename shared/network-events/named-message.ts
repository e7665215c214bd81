import { any, isNew } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { PlannedEvent } from "./card-event.ts";
import {
  messageOf,
  type NamedMessage,
  namedMessages,
  namedUntil,
  ofIncrement,
  referringTo,
  similarOf,
  withoutReference,
} from "./message-names.ts";
import type { CardSubject, OfHold } from "./plan.ts";

/*
 * A reversal, advice or clearing names a message without its reference, and may come first. Both
 * write one item: the second one finds the id of the first.
 */

/** Fails if what names the event's message has come, with another reference. */
export function namedWrites(event: PlannedEvent, at: Date): WriteAction[] {
  const id = messageOf(event)?.id;
  if (id === undefined || id !== ownIdOf(event) || !("cardId" in event)) return [];
  return namedWrite(event, { id, ...ofIncrement(event) }, any({ isEarly: undefined }, { id }), at);
}

/** Notes what names a message that was not found. Fails if that has come in this moment. */
export function earlyWrites({ event, hold, at }: CardSubject & OfHold): WriteAction[] {
  if (hold || similarOf(event)?.differsIn !== "reference" || !("authorizationId" in event)) return [];
  const { authorizationId: id } = event;
  if (id === undefined || id === messageOf(event)?.id) return [];
  return namedWrite(event, { id, isEarly: true }, any(isNew, { id }), at);
}

function namedWrite(
  { programId, cardId }: { readonly programId: string; readonly cardId: string },
  named: Omit<NamedMessage, "expiresAtSeconds">,
  condition: ReturnType<typeof any<NamedMessage>>,
  at: Date,
): WriteAction[] {
  const name = withoutReference(named.id);
  if (name === undefined) return [];
  const item = { ...named, expiresAtSeconds: namedUntil(at) };
  return [namedMessages.at(programId, cardId, name).put(item, condition)];
}

/** The event with the id under which the other one has come. */
export function tiedTo<E extends PlannedEvent>(event: E, found: NamedMessage): E | undefined {
  const ownId = ownIdOf(event);
  const isOwn = ownId !== undefined && ownId === messageOf(event)?.id;
  const id = isOwn ? ownId : "authorizationId" in event ? event.authorizationId : undefined;
  if (id === undefined) return undefined;
  // That an increment is reversed is found out by its own id.
  const isWhole = !isOwn && event.kind !== "authorization_reversal";
  return referringTo(event, id, (isWhole && found.authorizationId) || found.id);
}

/** The id by which later messages name it. */
function ownIdOf(event: PlannedEvent): string | undefined {
  if (event.kind === "authorization_incremental") return event.incrementId;
  const isNamed = ["authorization", "authorization_advice", "atm_withdrawal"].includes(event.kind);
  return isNamed && "authorizationId" in event ? event.authorizationId : undefined;
}
