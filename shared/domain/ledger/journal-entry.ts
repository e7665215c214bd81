import { listInsert } from "../../lists/change.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { assertBalanced, balanceChanges, type Posting } from "./posting.ts";
import { isWalletId, walletTransactionList, walletTransactionOf } from "./wallet-transaction.ts";

export type EntryKind =
  | "transfer"
  | "card_sweep"
  | "card_unload"
  | "debt_settled"
  | "deposit_pending"
  | "deposit_cleared"
  | "deposit_reversed"
  | "deposit_returned"
  | "deposit_suspended"
  | "hold_placed"
  | "hold_released"
  | "clearing"
  | "refund"
  | "refund_reversal"
  | "atm_withdrawal"
  | "fee"
  | "fee_reversal"
  | "provisional_credit"
  | "provisional_debit"
  | "chargeback_won";

/** One change of money, immutable once committed. Its postings sum to zero. */
export interface JournalEntry {
  readonly entryId: string;
  readonly kind: EntryKind;
  readonly postings: readonly Posting[];
  /** Id of the record that the entry belongs to: a transfer, a deposit, the card that is swept. */
  readonly relatedId: string;
  /** What whoever moved the money wrote about it. */
  readonly description?: string | undefined;
  readonly createdAt: string;
}

/** A new journal entry of the given kind. Throws where the postings are not double entry. */
export function journalEntry(
  kind: EntryKind,
  relatedId: string,
  postings: readonly Posting[],
  at: Date,
  description?: string,
): JournalEntry {
  assertBalanced(postings);
  const createdAt = timestamp(at);
  return { entryId: newId("journalEntry"), kind, postings, relatedId, description, createdAt };
}

/** Where the entry stands: with each card and wallet that it touches, or with its record if it touches none. */
export function entryPlaces({ postings, relatedId }: JournalEntry): string[] {
  const touched = [...balanceChanges(postings).keys()];
  return touched.length > 0 ? touched : [relatedId];
}

/** The entry, whole, in each of its places; each Wallet's list of transactions takes it in. */
export function entryPuts(programId: string, entry: JournalEntry): WriteAction[] {
  return entryPlaces(entry).map((place) => ({
    name: "entry",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...issuingKey.entry(programId, place, entry.entryId), ...entry },
      ConditionExpression: "attribute_not_exists(pk)",
    },
    alongside: walletListing(programId, place, entry),
  }));
}

function walletListing(programId: string, accountId: string, entry: JournalEntry): WriteAction[] {
  const transaction = isWalletId(accountId) && walletTransactionOf(entry, accountId);
  if (!transaction) return [];
  return [listInsert(walletTransactionList, programId, transaction.entityId, transaction, accountId)];
}
