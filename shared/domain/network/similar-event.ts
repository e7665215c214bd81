import type { RepeatableMessage, SimilarTo } from "../../contract/network-message.ts";
import { earliestId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../../platform/table/query.ts";
import { transactions } from "../transactions/transaction.ts";

const hourMs = 3_600_000;
/** An acquirer may name its message by the time of the repetition. */
const repeatedWithinMs = hourMs / 2;

interface Named {
  /** The id of the message that is meant, and of its authorization. */
  readonly id: string;
  readonly authorizationId: string;
}

interface OfCard {
  readonly programId: string;
  readonly cardId: string;
}

export function similarOf(event: object): SimilarTo | undefined {
  return "similarTo" in event ? (event.similarTo as SimilarTo | undefined) : undefined;
}

/** Of the Card's messages of those days: only asked where the id itself names none. */
export async function findSimilar(
  { programId, cardId }: OfCard,
  similarTo: SimilarTo,
): Promise<Named | undefined> {
  const { id, differsIn, at } = similarTo;
  const sentMs = Date.parse(at);
  const [before, after] = differsIn === "time" ? [24 * hourMs, hourMs] : [hourMs, 24 * hourMs];
  const { pk, sk: first } = keyAt(programId, cardId, sentMs - before);
  const { sk: last } = keyAt(programId, cardId, sentMs + after);
  const found = new Map<string, Named & { readonly isSame: boolean }>();
  for await (const item of readItems(toPartitionQuery(pk, { first, last }))) {
    const { authorizationId, event, createdAt } = transactions.parse(item);
    if (authorizationId === undefined) continue;
    if (authorizationId === id) return undefined;
    const isNear = differsIn === "time" || isWithin(sentMs - Date.parse(createdAt), repeatedWithinMs);
    for (const candidate of [authorizationId, event?.incrementId ?? authorizationId]) {
      const isSame = candidate === id || (differsIn === "reference" && isAlike(candidate, id, 1));
      if (isSame || (isNear && isAlike(candidate, id, 3)))
        found.set(candidate, { id: candidate, authorizationId, isSame });
    }
  }
  const all = [...found.values()];
  const same = all.filter(({ isSame }) => isSame);
  // Two that fit alike: neither is meant for certain.
  return same.length > 0 ? (same.length === 1 ? same[0] : undefined) : all.at(-1);
}

function keyAt(programId: string, cardId: string, ms: number) {
  return issuingKey.transaction(programId, cardId, earliestId("transaction", new Date(ms)));
}

/** Clocks differ by seconds. */
function isWithin(ms: number, longestMs: number): boolean {
  return ms > -60_000 && ms < longestMs;
}

/** A filler, of one character, names nothing. */
export function isNamed(element = ""): boolean {
  return !/^(.)\1*$/.test(element);
}

/** Whether ids differ in that part alone. */
function isAlike(one: string, other: string, part: 1 | 3): boolean {
  const [ours, theirs] = [one.split("."), other.split(".")];
  const named = part === 3 ? ours.slice(1, 3) : ours.slice(2, 3);
  const others = (parts: readonly string[]) => parts.toSpliced(part, 1).join(".");
  return named.every(isNamed) && ours.length === 4 && theirs.length === 4 && others(ours) === others(theirs);
}

/** The event with the id that was found in place of its own. */
export function renamed<E extends object>(event: E, from: string, to: string): E {
  const names = ["eventId", "authorizationId", "incrementId", "originalEventId"];
  const fields = Object.entries(event).map(([name, value]) =>
    names.includes(name) && typeof value === "string" ? [name, value.replace(from, to)] : [name, value],
  );
  const message = messageOf(event);
  return {
    ...(Object.fromEntries(fields) as E),
    similarTo: undefined,
    ...(message?.id === from && { message: { ...message, id: to } }),
  };
}

export function messageOf(event: object): RepeatableMessage | undefined {
  return "message" in event ? (event.message as RepeatableMessage | undefined) : undefined;
}
