import type { CardIdentity } from "../cards/card.ts";
import { given, type Read, type Unread, unread } from "../changes/change.ts";
import { readBatch } from "../platform/table/batch.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import type { CardReads } from "./card-change.ts";
import type { OfHold } from "./plan.ts";

/** They are read once it is known which. The hold may have others after a failed condition. */
export const noPostings: Read<readonly Transaction[]> = { get: async () => unread, renew: () => unread };

/** The postings that the event may change beside its own. */
export function morePostings(
  { programId, cardId }: CardIdentity,
  ids: readonly string[],
): { postings: Read<readonly Transaction[]> } | undefined {
  if (ids.length === 0) return undefined;
  const get = async () => {
    const found = await readBatch(ids.map((id) => transactions.key(programId, cardId, id)));
    const read = found.map((item) => transactions.parse(item));
    return read.toSorted((one, other) => (one.transId < other.transId ? -1 : 1));
  };
  // The hold may have other postings, or they may be disputed.
  return { postings: { get, renew: () => unread } };
}

/** What such an event finds. */
interface FoundPostings {
  readonly postings: readonly Transaction[] | undefined | Unread;
  /** The version of the hold for which it was read again. */
  readonly renewedFor?: number | undefined;
}

/** The hold may have changed before its postings were read: a rejection follows from both. */
export function readHoldAgain({ hold }: OfHold, of: CardReads, { postings, renewedFor }: FoundPostings) {
  if (!hold || postings === unread || !postings?.length || renewedFor === hold.version) return undefined;
  return { hold: of.holdAgain(), renewedFor: given(hold.version), postings: noPostings };
}
