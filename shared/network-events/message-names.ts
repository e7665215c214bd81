import * as z from "zod";
import { holds } from "../authorizations/holds/hold.ts";
import type { RepeatableMessage, SimilarTo } from "../contract/network-message.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import { minuteMs, timestamp, unixSeconds } from "../platform/clock.ts";
import { any, below, isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import type { Surroundings } from "./card-change.ts";
import { type CardEvent, findFacts, type PlannedEvent } from "./card-event.ts";
import type { CardPart } from "./card-part.ts";
import { type CardSubject, eventRecords, type OfHold } from "./plan.ts";

/** Clearings name what was authorized up to a month before. */
const keptMs = 31 * 86_400_000;

function namedUntil(at: Date): number {
  return unixSeconds(new Date(at.getTime() + keptMs));
}

const Named = z.object({
  /** The part of the message's ids that names it. */
  id: z.string(),
  /** An increment, and an advice that names one, has its authorization's. */
  authorizationId: z.string().optional(),
  expiresAtSeconds: z.int(),
});

/** The one that came first, of a message and its repetitions. */
const FirstMessage = Named.extend({
  at: z.string(),
  /** The message that it repeats has not come yet. */
  isRepeated: z.boolean().optional(),
});
type FirstMessage = z.output<typeof FirstMessage>;

/** The key names the Card. */
const firstMessages = defineEntity({
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
type NamedMessage = z.output<typeof NamedMessage>;

/** `name` is the id without the reference. */
const namedMessages = defineEntity({
  name: "named",
  schema: NamedMessage,
  key: (programId: string, cardId: string, name: string) => ({
    pk: `${programId}#NAMED#${cardId}#${name}`,
    sk: "NAMED",
  }),
});

/** An id without its reference. Undefined if its trace is a filler, of one character. */
function withoutReference(id: string): string | undefined {
  const parts = id.split(".");
  const [acquirer, , trace = "", time] = parts;
  return parts.length === 4 && !/^(.)\1*$/.test(trace) ? [acquirer, trace, time].join(".") : undefined;
}

/** Whose hold an increment is part of. */
function ofIncrement(event: PlannedEvent): { authorizationId?: string } {
  return event.kind === "authorization_incremental" ? { authorizationId: event.authorizationId } : {};
}

function findMessage(event: object): RepeatableMessage | undefined {
  return "message" in event ? (event.message as RepeatableMessage | undefined) : undefined;
}

export function findSimilarTo(event: object): SimilarTo | undefined {
  return "similarTo" in event ? (event.similarTo as SimilarTo | undefined) : undefined;
}

/** The event with the id that was found in place of its own. */
export function renamed<E extends object>(event: E, from: string, to: string): E {
  const message = findMessage(event);
  return {
    ...withIds(event, [...referring, "eventId"], from, to),
    similarTo: undefined,
    ...(message?.id === from && { message: { ...message, id: to } }),
  };
}

const referring = ["authorizationId", "incrementId", "originalEventId"];

function withIds<E extends object>(event: E, names: readonly string[], from: string, to: string): E {
  const fields = Object.entries(event).map(([name, value]) =>
    names.includes(name) && typeof value === "string" ? [name, value.replace(from, to)] : [name, value],
  );
  return Object.fromEntries(fields) as E;
}

/*
 * A reversal, advice or clearing names a message without its reference, and may come first. Both
 * write one item: the second one finds the id of the first.
 */

/** Fails if what names the event's message has come, with another reference. */
function namedWrites(event: PlannedEvent, at: Date): WriteAction[] {
  const id = findMessage(event)?.id;
  if (id === undefined || !("cardId" in event)) return [];
  if (id !== findOwnId(event)) return adviceWrites(event, id, at);
  return namedWrite(event, { id, ...ofIncrement(event) }, any({ isEarly: undefined }, { id }), at);
}

/** An advice may be named in its authorization's place. Fails if it was, before it came. */
function adviceWrites(event: PlannedEvent, id: string, at: Date): WriteAction[] {
  const isAdvice = event.kind === "authorization_advice" || (event.kind === "atm_withdrawal" && event.advice);
  if (!isAdvice) return [];
  const isFirst = "early" in event ? undefined : any<NamedMessage>({ isEarly: undefined });
  return namedWrite(event, { id, authorizationId: event.authorizationId }, isFirst, at);
}

/**
 * Notes what names a message that was not found. Fails if that has come in this moment. A
 * repetition of it, with another time, finds the first time.
 */
function earlyWrites({ event, hold, at }: CardSubject & OfHold): WriteAction[] {
  const similarTo = findSimilarTo(event);
  if (hold || similarTo?.differsIn !== "reference" || !("authorizationId" in event)) return [];
  const { authorizationId: id } = event;
  if (id === undefined || id === findMessage(event)?.id) return [];
  const early = namedWrite(event, { id, isEarly: true }, any(isNew, { id, isEarly: true }), at);
  const [key] = similarTo.keys ?? [];
  if (key === undefined || id !== similarTo.id) return early;
  const first = { id, at: similarTo.at, expiresAtSeconds: namedUntil(at) };
  return [...early, { ...firstMessages.at(event.programId, key).put(first), name: "first" }];
}

function namedWrite(
  { programId, cardId }: { readonly programId: string; readonly cardId: string },
  named: Omit<NamedMessage, "expiresAtSeconds">,
  condition: ReturnType<typeof any<NamedMessage>> | undefined,
  at: Date,
): WriteAction[] {
  const name = withoutReference(named.id);
  if (name === undefined) return [];
  const item = { ...named, expiresAtSeconds: namedUntil(at) };
  return [namedMessages.at(programId, cardId, name).put(item, condition)];
}

/** The event with the id under which the other one has come, or has named the advice. */
function tiedTo<E extends PlannedEvent>(event: E, found: NamedMessage): E | undefined {
  const ownId = findOwnId(event);
  const messageId = findMessage(event)?.id;
  const isOwn = ownId !== undefined && ownId === messageId;
  const isNamed = messageId !== undefined && withoutReference(messageId) === withoutReference(found.id);
  if (found.isEarly && isNamed && !isOwn) return { ...event, early: found.id };
  const id = isOwn ? ownId : "authorizationId" in event ? event.authorizationId : undefined;
  if (id === undefined) return undefined;
  // That an increment is reversed is found out by its own id.
  const isWhole = !isOwn && event.kind !== "authorization_reversal";
  return withIds(event, referring, id, (isWhole && found.authorizationId) || found.id);
}

/** The id by which later messages name it. */
function findOwnId(event: PlannedEvent): string | undefined {
  if (event.kind === "authorization_incremental") return event.incrementId;
  return findFacts(event).isNamed && "authorizationId" in event ? event.authorizationId : undefined;
}

/** An acquirer may name its message by the time of the repetition. */
const namedWithinMs = 30 * minuteMs;
/** Later, another message may have the same numbers. */
const repeatedWithinMs = 24 * 60 * minuteMs;

interface Similar {
  /** The id of the message that is meant, and of its authorization. */
  readonly id: string;
  readonly authorizationId: string;
}

/** Looks among the Card's messages: only asked where the id itself names none. */
export async function findSimilar(
  { programId, cardId }: { readonly programId: string; readonly cardId: string },
  { id, differsIn, at, keys = [] }: SimilarTo,
): Promise<Similar | undefined> {
  const name = differsIn === "reference" ? withoutReference(id) : undefined;
  // The message that is meant may have had zeros for its acquirer.
  const names = name === undefined ? [] : [name, name.replace(/^[^.]+/, "0")];
  const [named, first] = await Promise.all([
    Promise.all(names.map((one) => namedMessages.at(programId, cardId, one).get())),
    Promise.all(keys.map((key) => firstMessages.at(programId, key).get())),
  ]);
  const longestMs = differsIn === "reference" ? namedWithinMs : repeatedWithinMs;
  const isNear = (one?: FirstMessage) => one && isWithin(Date.parse(at) - Date.parse(one.at), longestMs);
  const found = named.find(Boolean) ?? first.find(isNear);
  return found && { id: found.id, authorizationId: found.authorizationId ?? found.id };
}

/** Clocks differ by seconds. */
function isWithin(ms: number, longestMs: number): boolean {
  return ms > -minuteMs && ms < longestMs;
}

/** A repetition as the message that it repeats, if that had another time. */
async function asRepetition(event: ProcessorEvent): Promise<ProcessorEvent> {
  const [message, similarTo] = [findMessage(event), findSimilarTo(event)];
  const mayBe = message?.isRepeated || similarTo?.differsIn === "time";
  if (!mayBe || !("cardId" in event)) return event;
  const { programId, eventId } = event;
  const [own, first] = await Promise.all([
    eventRecords.at(programId, eventId).get(),
    message?.key === undefined ? undefined : firstMessages.at(programId, message.key).get(),
  ]);
  if (own) return event;
  if (message && first && first.at >= earliest(message)) return renamed(event, message.id, first.id);
  // What a reversal names is found out before its authorization is read.
  if (similarTo?.differsIn !== "time" || event.kind === "authorization_reversal") return event;
  const named = await holds.at(programId, similarTo.id).get();
  const similar = named ? undefined : await findSimilar(event, similarTo);
  return similar ? renamed(event, similarTo.id, similar.id) : event;
}

/** When the same message can have come first: a first one comes before its repetitions. */
function earliest({ at, isRepeated }: RepeatableMessage): string {
  return isRepeated ? timestamp(new Date(Date.parse(at) - repeatedWithinMs)) : at;
}

/** Fails if the event's message has come with another time, in this moment too. */
function messageWrites(event: PlannedEvent, at: Date): WriteAction[] {
  const message = findMessage(event);
  if (message?.key === undefined) return [];
  const { key, id, isRepeated } = message;
  const times = { at: message.at, expiresAtSeconds: namedUntil(at) };
  const item = { id, ...times, ...ofIncrement(event), ...(isRepeated && { isRepeated }) };
  const isAnother = any<FirstMessage>(
    isRepeated ? isNew : { isRepeated: undefined },
    { at: below(earliest(message)) },
    { id },
  );
  return [firstMessages.at(event.programId, key).put(item, isAnother)];
}

/** The event as the one that had come before. */
function asFirst<E extends PlannedEvent>(event: E, failed: FailedConditions): E | undefined {
  const [message, first] = [findMessage(event), firstMessages.parse(failed.get("message"))];
  return message && first && renamed(event, message.id, first.id);
}

/** What the event names, or what has named it, has come under another id. */
export const namedMessage: CardPart<Similar | NamedMessage> = {
  name: "named",
  read: (event, { hold }) => ({
    get: async () => {
      const similarTo = findSimilarTo(event);
      if (similarTo?.differsIn !== "reference" || event.kind === "authorization_reversal") return undefined;
      const { authorizedMinor = 0, withdrawal } = (await hold()) ?? {};
      // Only asked where the id itself names none, or one that may stand for an advice.
      return authorizedMinor > 0 || withdrawal ? undefined : findSimilar(event, similarTo);
    },
    renew: (seen, failed) => (failed.has("named") ? namedMessages.parse(failed.get("named")) : seen),
  }),
  becomes: (event, item) => {
    if ("expiresAtSeconds" in item) return tiedTo(event as ProcessorEvent & CardEvent, item);
    const similarTo = findSimilarTo(event);
    if (!similarTo || similarTo.id === item.authorizationId) return undefined;
    return renamed(event, similarTo.id, item.authorizationId);
  },
  writes: (_, __, { subject }) => earlyWrites(subject),
};

export const messages: Surroundings["messages"] = {
  asRepetition,
  asFirst,
  repetitionWrites: messageWrites,
  nameWrites: namedWrites,
};
