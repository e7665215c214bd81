import { all, exists } from "../../platform/table/condition.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { type GaveBack, type Transaction, transactions } from "./transaction.ts";

type Posting = Pick<
  Transaction,
  "programId" | "cardId" | "transId" | "amountMinor" | "claimedMinor" | "reversedMinor" | "reversedBy"
>;

/** What can still be disputed, or given back. A version before marked the whole posting. */
export function freeMinor({ amountMinor, claimedMinor = 0, reversedMinor = 0, reversedBy }: Posting): number {
  return reversedBy === undefined ? Math.max(0, amountMinor - claimedMinor - reversedMinor) : 0;
}

/** For a dispute, which must fit into what is free. Fails as `original` if that has changed. */
export function claimUpdate(posting: Posting, amountMinor: number): WriteAction {
  return freeUpdate(posting, { claimedMinor: amountMinor });
}

/** For a refund that names it, whatever is disputed: the network has paid. */
export function refundUpdate(posting: Posting, amountMinor: number): WriteAction {
  return claimChange(posting, amountMinor);
}

/** Of a dispute that was lost or given up, or of a refund that is reversed. */
export function claimReleased(posting: Omit<Posting, "amountMinor">, amountMinor: number): WriteAction {
  return claimChange(posting, -amountMinor);
}

/**
 * Gives an amount back of what was settled by these postings and by earlier ones, of which only the
 * sum is known. The newest first, and nothing that is disputed: then it is undefined.
 */
export function giveBack(
  postings: readonly Posting[],
  settledMinor: number,
  amountMinor: number,
): (Pick<GaveBack, "parts"> & { writes: WriteAction[] }) | undefined {
  const known = postings.reduce((sum, one) => sum + one.amountMinor - (one.reversedMinor ?? 0), 0);
  const given = { writes: [] as WriteAction[], parts: [] as GaveBack["parts"] };
  let leftMinor = amountMinor;
  for (const posting of postings.toReversed()) {
    const partMinor = Math.min(leftMinor, freeMinor(posting));
    if (partMinor > 0) {
      given.writes.push(freeUpdate(posting, { reversedMinor: partMinor }));
      given.parts.push({ transId: posting.transId, amountMinor: partMinor });
    }
    leftMinor -= partMinor;
  }
  return leftMinor <= Math.max(0, settledMinor - known) ? given : undefined;
}

/** Of a reversal that is reversed itself: its amount can be given back or disputed again. */
export function partsReleased(
  { programId, cardId }: Pick<Posting, "programId" | "cardId">,
  { parts }: GaveBack,
): WriteAction[] {
  return parts.map(({ transId, amountMinor }) =>
    itemOf({ programId, cardId, transId }).update({ add: { reversedMinor: -amountMinor } }, exists),
  );
}

function freeUpdate(posting: Posting, add: { claimedMinor?: number; reversedMinor?: number }): WriteAction {
  const { claimedMinor, reversedMinor } = posting;
  const isUnchanged = all<Transaction>(exists, { claimedMinor, reversedMinor, reversedBy: undefined });
  return { ...itemOf(posting).update({ add }, isUnchanged), name: "original" };
}

function claimChange(posting: Omit<Posting, "amountMinor">, amountMinor: number): WriteAction {
  return { ...itemOf(posting).update({ add: { claimedMinor: amountMinor } }, exists), name: "claimed" };
}

function itemOf({ programId, cardId, transId }: Omit<Posting, "amountMinor">) {
  return transactions.at(programId, cardId, transId);
}
