import { isWalletId, JournalEntry, journalEntries, recordId, type StoredCopy } from "./journal-entry.ts";
import { balanceChanges, type ContraAccount } from "./postings.ts";

/** A Card's record of what a Wallet paid, with the Wallet's entry. */
export interface PaidRecord {
  readonly walletId: string;
  readonly entryId: string;
}

export function findPaid({ fundingWalletId, fundingEntryId }: StoredCopy): PaidRecord | undefined {
  if (fundingWalletId === undefined || fundingEntryId === undefined) return undefined;
  return { walletId: String(fundingWalletId), entryId: String(fundingEntryId) };
}

/** What a Card's own account gave to the Wallet that pays now, in the same entry. */
export function findSwept({ cardId, postings }: JournalEntry) {
  const changes = balanceChanges(postings);
  if (cardId === undefined || !changes.has(cardId)) return undefined;
  const [swept] = [...changes].filter(([accountId]) => isWalletId(accountId));
  return swept && { walletId: swept[0], amountMinor: swept[1].ledgerMinor };
}

/** The copy that an item is, or that a record has. */
export function parseEntry(item: StoredCopy): JournalEntry | undefined {
  // A month that was moved has no entries here.
  if (item.movedTo !== undefined) return undefined;
  if (String(item.sk).startsWith("ENTRY#")) return journalEntries.parse(item);
  if (item.entry === undefined) return undefined;
  const { createdAt, entry } = item;
  return JournalEntry.parse({ relatedId: recordId(item), createdAt, ...(entry as StoredCopy) });
}

/** What an entry adds to a contra account. Without an entry, nothing. */
export function bookedTo(entry: Pick<JournalEntry, "postings"> | undefined, name: ContraAccount): number {
  const booked = (entry?.postings ?? []).filter(({ account }) => account === name);
  return booked.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}
