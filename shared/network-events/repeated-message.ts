import { holds } from "../authorizations/holds/hold.ts";
import type { RepeatableMessage } from "../contract/network-message.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import { timestamp } from "../platform/clock.ts";
import { any, below, isNew } from "../platform/table/condition.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import type { PlannedEvent } from "./card-event.ts";
import { eventRecords } from "./event-record.ts";
import {
  type FirstMessage,
  firstMessages,
  messageOf,
  namedUntil,
  ofIncrement,
  renamed,
  similarOf,
} from "./message-names.ts";
import { findSimilar } from "./similar-event.ts";

const hourMs = 3_600_000;
/** Later, another message may have the same numbers. */
const repeatedWithinMs = 24 * hourMs;

/** A repetition as the message that it repeats, if that had another time. */
export async function asRepetition(event: ProcessorEvent): Promise<ProcessorEvent> {
  const [message, similarTo] = [messageOf(event), similarOf(event)];
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
export function messageWrites(event: PlannedEvent, at: Date): WriteAction[] {
  const message = messageOf(event);
  if (message?.key === undefined) return [];
  const { key, id, isRepeated } = message;
  const item = {
    id,
    at: message.at,
    ...ofIncrement(event),
    ...(isRepeated && { isRepeated }),
    expiresAtSeconds: namedUntil(at),
  };
  const isAnother = any<FirstMessage>(isRepeated ? isNew : { isRepeated: undefined }, {
    at: below(earliest(message)),
  });
  return [firstMessages.at(event.programId, key).put(item, isAnother)];
}

/** The event as the one that had come before. */
export function asFirst<E extends PlannedEvent>(event: E, failed: FailedConditions): E | undefined {
  const [message, first] = [messageOf(event), firstMessages.parse(failed.get("message"))];
  return message && first && renamed(event, message.id, first.id);
}
