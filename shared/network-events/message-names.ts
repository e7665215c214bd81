import * as z from "zod";
import type { RepeatableMessage, SimilarTo } from "../contract/network-message.ts";
import { unixSeconds } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { PlannedEvent } from "./card-event.ts";

/** Clearings name what was authorized up to a month before. */
const keptMs = 31 * 86_400_000;

export function namedUntil(at: Date): number {
  return unixSeconds(new Date(at.getTime() + keptMs));
}

const Named = z.object({
  /** The part of the message's ids that names it. */
  id: z.string(),
  /** An increment has its authorization's. */
  authorizationId: z.string().optional(),
  expiresAtSeconds: z.int(),
});

/** The one that came first, of a message and its repetitions. */
const FirstMessage = Named.extend({
  at: z.string(),
  /** The message that it repeats has not come yet. */
  isRepeated: z.boolean().optional(),
});
export type FirstMessage = z.output<typeof FirstMessage>;

/** The key names the Card. */
export const firstMessages = defineEntity({
  name: "message",
  schema: FirstMessage,
  key: (programId: string, messageKey: string) => ({
    pk: `${programId}#MESSAGE#${messageKey}`,
    sk: "MESSAGE",
  }),
});

/** What a message is found by that names it without its reference. */
const NamedMessage = Named.extend({
  /** What names it has come, and it has not. */
  isEarly: z.boolean().optional(),
});
export type NamedMessage = z.output<typeof NamedMessage>;

/** `name` is the id without the reference. */
export const namedMessages = defineEntity({
  name: "named",
  schema: NamedMessage,
  key: (programId: string, cardId: string, name: string) => ({
    pk: `${programId}#NAMED#${cardId}#${name}`,
    sk: "NAMED",
  }),
});

/** An id without its reference. Undefined if its trace is a filler, of one character. */
export function withoutReference(id: string): string | undefined {
  const parts = id.split(".");
  const [acquirer, , trace = "", time] = parts;
  return parts.length === 4 && !/^(.)\1*$/.test(trace) ? [acquirer, trace, time].join(".") : undefined;
}

/** Whose hold an increment is part of. */
export function ofIncrement(event: PlannedEvent): { authorizationId?: string } {
  return event.kind === "authorization_incremental" ? { authorizationId: event.authorizationId } : {};
}

export function messageOf(event: object): RepeatableMessage | undefined {
  return "message" in event ? (event.message as RepeatableMessage | undefined) : undefined;
}

export function similarOf(event: object): SimilarTo | undefined {
  return "similarTo" in event ? (event.similarTo as SimilarTo | undefined) : undefined;
}

/** The event with the id that was found in place of its own. */
export function renamed<E extends object>(event: E, from: string, to: string): E {
  const message = messageOf(event);
  return {
    ...withIds(event, [...referring, "eventId"], from, to),
    similarTo: undefined,
    ...(message?.id === from && { message: { ...message, id: to } }),
  };
}

/** Names an authorization or increment, and stays the event that it is. */
export function referringTo<E extends object>(event: E, from: string, to: string): E {
  return withIds(event, referring, from, to);
}

const referring = ["authorizationId", "incrementId", "originalEventId"];

function withIds<E extends object>(event: E, names: readonly string[], from: string, to: string): E {
  const fields = Object.entries(event).map(([name, value]) =>
    names.includes(name) && typeof value === "string" ? [name, value.replace(from, to)] : [name, value],
  );
  return Object.fromEntries(fields) as E;
}
