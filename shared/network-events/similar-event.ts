import type { SimilarTo } from "../contract/network-message.ts";
import { firstMessages, namedMessages, withoutReference } from "./message-names.ts";

const minuteMs = 60_000;
/** An acquirer may name its message by the time of the repetition. */
const namedWithinMs = 30 * minuteMs;
const repeatedWithinMs = 24 * 60 * minuteMs;

export interface Similar {
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
  const [named, ...first] = await Promise.all([
    name === undefined ? undefined : namedMessages.at(programId, cardId, name).get(),
    ...keys.map((key) => firstMessages.at(programId, key).get()),
  ]);
  const longestMs = differsIn === "reference" ? namedWithinMs : repeatedWithinMs;
  const found = named ?? first.find((one) => one && isWithin(Date.parse(at) - Date.parse(one.at), longestMs));
  return found && { id: found.id, authorizationId: found.authorizationId ?? found.id };
}

/** Clocks differ by seconds. */
function isWithin(ms: number, longestMs: number): boolean {
  return ms > -minuteMs && ms < longestMs;
}
