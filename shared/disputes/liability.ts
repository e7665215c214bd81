import type { DisputeLiability } from "../contract/disputes.ts";
import type { EntryKind, JournalEntry } from "../ledger/journal-entry.ts";

export const noLiability: DisputeLiability = {
  original: 0,
  recovered: 0,
  writtenOff: 0,
  denied: 0,
  remaining: 0,
};

const outcomes: Partial<Record<EntryKind, "recovered" | "writtenOff" | "denied">> = {
  dispute_won: "recovered",
  dispute_written_off: "writtenOff",
  dispute_denied: "denied",
};

/**
 * The only place that computes a liability: from a dispute's entries. What is added to `disputed`
 * is original; what is taken from it ends as the entry's kind says.
 */
export function withDisputeEntry(
  before: DisputeLiability,
  { kind, postings }: Pick<JournalEntry, "kind" | "postings">,
): DisputeLiability {
  const amounts = postings.filter(({ account }) => account === "disputed");
  const liability = { ...before };
  for (const { amountMinor } of amounts) {
    const outcome = amountMinor < 0 ? outcomes[kind] : undefined;
    if (outcome) liability[outcome] -= amountMinor;
    else liability.original += amountMinor;
    liability.remaining += amountMinor;
  }
  return liability;
}
