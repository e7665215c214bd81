import { all, atLeast, type Condition, exists } from "../../platform/table/condition.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { type GaveBack, type Transaction, transactions } from "../../transactions/transaction.ts";
import { type Hold, holds } from "./hold.ts";

const amounts = ["claimedMinor", "refundedMinor", "settledMinor", "creditedMinor", "reversedMinor"] as const;
type Amounts = Pick<Transaction, (typeof amounts)[number]>;
type Settled = Amounts & Pick<Transaction, "amountMinor">;
export type Posting = Settled &
  Pick<Transaction, "programId" | "cardId" | "transId" | "authorizationId" | "isOlder">;
type Place = Pick<Posting, "programId" | "cardId" | "transId">;

/** What can still be claimed. Negative if refunds have paid what is claimed. */
export function roomMinor({ amountMinor, claimedMinor = 0, reversedMinor = 0 }: Posting): number {
  return amountMinor - claimedMinor - reversedMinor;
}

/** What can still be disputed, or given back. */
export function freeMinor(posting: Posting): number {
  return Math.max(0, roomMinor(posting));
}

/** What refunds and reversals leave of it. */
function leftMinor({ amountMinor, refundedMinor = 0, reversedMinor = 0 }: Settled): number {
  return Math.max(0, amountMinor - refundedMinor - reversedMinor);
}

/** What a dispute can bring now: at most what is left beside those that are decided. */
export function worthMinor(posting: Settled, claimMinor: number): number {
  return Math.min(claimMinor, Math.max(0, leftMinor(posting) - (posting.settledMinor ?? 0)));
}

/** What the Card has of its disputes' credits: with refunds, never more than was settled. */
export function paidMinor(posting: Settled): number {
  return Math.min(posting.creditedMinor ?? 0, leftMinor(posting));
}

export interface PostingChange {
  readonly writes: readonly WriteAction[];
  /** What the Card gets of the credits; negative for what it gives back. */
  readonly creditMinor: number;
  /** What it adds to the sum of its hold. */
  readonly olderMinor: number;
}

/** Changes the posting as it was read: fails as `original` if it has changed. */
export function changePosting(posting: Posting, change: Amounts): PostingChange {
  const changed = amounts.filter((name) => change[name]);
  if (changed.length === 0) return { writes: [], creditMinor: 0, olderMinor: 0 };
  const add = Object.fromEntries(changed.map((name) => [name, change[name]]));
  const sums = changed.map((name) => [name, (posting[name] ?? 0) + (change[name] ?? 0)]);
  const after = { ...posting, ...(Object.fromEntries(sums) as Amounts) };
  return {
    writes: [{ ...postingAt(posting).update({ add }, isUnchanged(posting)), name: "original" }],
    creditMinor: paidMinor(after) - paidMinor(posting),
    olderMinor: posting.isOlder ? freeMinor(after) - freeMinor(posting) : 0,
  };
}

/**
 * With the sum of the hold that names the posting no more. A dispute must also fit into that: else
 * it fails as `older`.
 */
export function withOlder(posting: Posting, change: PostingChange, isDisputed = false): WriteAction[] {
  const { programId, authorizationId } = posting;
  const { writes, olderMinor } = change;
  if (olderMinor === 0 || authorizationId === undefined) return [...writes];
  const isLeft = isDisputed && olderMinor < 0 ? { olderMinor: atLeast(-olderMinor) } : {};
  return [...writes, olderChanged(programId, authorizationId, { olderMinor }, isLeft)];
}

/** What changes of a hold without its event. The version makes concurrent writers retry. */
export function olderChanged(
  programId: string,
  authorizationId: string,
  add: Pick<Hold, "olderMinor" | "refundedMinor" | "undoneMinor">,
  condition: { readonly olderMinor?: ReturnType<typeof atLeast> } = {},
): WriteAction {
  const change = { add: { ...add, version: 1 } };
  const update = holds.at(programId, authorizationId).update(change, { ...exists, ...condition });
  return { ...update, name: "older" };
}

/**
 * Gives an amount back of these postings, the newest first, and then of older ones. Nothing that is
 * claimed: then it is undefined.
 */
export function giveBack(postings: readonly Posting[], olderMinor: number | undefined, amountMinor: number) {
  const writes: WriteAction[] = [];
  const parts: GaveBack["parts"] = [];
  let restMinor = amountMinor;
  for (const posting of postings.filter(({ isOlder }) => !isOlder).toReversed()) {
    const partMinor = Math.min(restMinor, freeMinor(posting));
    writes.push(...changePosting(posting, { reversedMinor: partMinor }).writes);
    if (partMinor > 0) parts.push({ transId: posting.transId, amountMinor: partMinor });
    restMinor -= partMinor;
  }
  return restMinor <= Math.max(0, olderMinor ?? 0) ? { parts, writes, olderMinor: restMinor } : undefined;
}

/** With what a hold has of older postings, if it has any. */
export function olderIn({ olderMinor = 0 }: Pick<Hold, "olderMinor">, moreMinor: number) {
  return moreMinor === 0 ? {} : { olderMinor: olderMinor + moreMinor };
}

/** How many postings a hold names. */
const mostNamed = 50;

export function isFull(named: readonly string[]): boolean {
  return named.length >= mostNamed;
}

/** Names one more. Of too many, the oldest becomes a part of a sum: of what is free of it. */
export function namePosting(named: readonly string[], transId: string, read: readonly Posting[]) {
  if (!isFull(named)) return { named: [...named, transId], olderMinor: 0, writes: [] };
  const [oldestId, ...others] = named;
  const oldest = read.find((one) => one.transId === oldestId && !one.isOlder);
  return {
    named: [...others, transId],
    olderMinor: oldest ? freeMinor(oldest) : 0,
    writes: oldest
      ? [{ ...postingAt(oldest).update({ set: { isOlder: true } }, isUnchanged(oldest)), name: "original" }]
      : [],
  };
}

/**
 * Changes a posting that was not read. Fails as `claimed` if more depends on it: what the Card has
 * of credits, or the sum of its hold.
 */
export function changeUnread(place: Place, add: Amounts): WriteAction {
  const isAlone = all<Transaction>(exists, { creditedMinor: undefined, isOlder: undefined });
  return { ...postingAt(place).update({ add }, isAlone), name: "claimed" };
}

function isUnchanged(posting: Posting): Condition<Transaction> {
  const seen = Object.fromEntries(amounts.map((name) => [name, posting[name]]));
  return all<Transaction>(exists, { ...seen, isOlder: posting.isOlder });
}

function postingAt({ programId, cardId, transId }: Place) {
  return transactions.at(programId, cardId, transId);
}
