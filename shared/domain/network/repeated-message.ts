import * as z from "zod";
import type { RepeatableMessage } from "../../contract/network-message.ts";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { timestamp, unixSeconds } from "../../platform/clock.ts";
import { any, below, isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { Key } from "../../platform/table/keys.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import { eventRecords } from "./event-record.ts";
import type { PlannedEvent } from "./plan-event.ts";
import { findSimilar, messageOf, renamed, similarOf } from "./similar-event.ts";

const hourMs = 3_600_000;
/** Later, another message may have the same numbers. */
const repeatedWithinMs = 24 * hourMs;

/** Names the message of which later ones with the same key are repetitions. */
const FirstMessage = z.object({
  id: z.string(),
  at: z.string(),
  /** The message that it repeats has not come yet. */
  isRepeated: z.boolean().optional(),
  expiresAtSeconds: z.int(),
});

/** The key names the Card. */
export const firstMessages = defineEntity({
  name: "message",
  table: "issuing",
  schema: FirstMessage,
  key: (programId: string, messageKey: string): Key => ({
    pk: `${programId}#MESSAGE#${messageKey}`,
    sk: "MESSAGE",
  }),
});

/** A repetition as the message that it repeats, if that had another time. */
export async function asRepetition(event: ProcessorEvent): Promise<ProcessorEvent> {
  const [message, similarTo] = [messageOf(event), similarOf(event)];
  const mayBe = message?.isRepeated || similarTo?.differsIn === "time";
  if (!mayBe || !("cardId" in event)) return event;
  const { programId, eventId } = event;
  const [own, first] = await Promise.all([
    eventRecords.at(programId, eventId).get(),
    message && firstMessages.at(programId, message.key).get(),
  ]);
  if (own) return event;
  if (message && first && first.at >= earliest(message)) return renamed(event, message.id, first.id);
  const similar = similarTo?.differsIn === "time" && (await findSimilar(event, similarTo));
  return similar ? renamed(event, similarTo.id, similar.id) : event;
}

/** Of what is the same message: a first one comes before its repetitions. */
function earliest({ at, isRepeated }: RepeatableMessage): string {
  return isRepeated ? timestamp(new Date(Date.parse(at) - repeatedWithinMs)) : at;
}

/** Fails if the event's message has come with another time, in this moment too. */
export function messageWrites(event: PlannedEvent, at: Date): WriteAction[] {
  const message = messageOf(event);
  if (!message) return [];
  const { key, id, isRepeated } = message;
  const item = {
    id,
    at: message.at,
    ...(isRepeated && { isRepeated }),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + 2 * repeatedWithinMs)),
  };
  const isAnother = any<z.output<typeof FirstMessage>>(isRepeated ? isNew : { isRepeated: undefined }, {
    at: below(earliest(message)),
  });
  return [firstMessages.at(event.programId, key).put(item, isAnother)];
}

/** The event as the one that had come before. */
export function asFirst<E extends PlannedEvent>(event: E, failed: FailedConditions): E | undefined {
  const [message, first] = [messageOf(event), firstMessages.parse(failed.get("message"))];
  return message && first && renamed(event, message.id, first.id);
}
