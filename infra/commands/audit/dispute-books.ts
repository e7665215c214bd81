import type { DisputeLiability } from "../../../shared/contract/disputes.ts";
import { disputes } from "../../../shared/disputes/dispute.ts";
import { noLiability, withDisputeEntry } from "../../../shared/disputes/liability.ts";
import { type JournalEntry, journalEntries } from "../../../shared/ledger/journal-entry.ts";
import { idStart } from "../../../shared/platform/id.ts";
import type { Transaction } from "../../../shared/transactions/transaction.ts";
import { ClaimBooks } from "./claim-books.ts";

interface DisputeBook {
  readonly programId: string;
  readonly disputeId: string;
  readonly stored: DisputeLiability | undefined;
  readonly posted: DisputeLiability;
}

/**
 * Compares the liability of each dispute with its journal entries. Every entry that changes
 * `disputed` must belong to a dispute: so a Card's `disputed` is what remains of its disputes.
 */
export class DisputeBooks {
  readonly #books = new Map<string, DisputeBook>();
  readonly #claims = new ClaimBooks();
  readonly #ofNone: string[] = [];

  add(programId: string, partition: string, item: Readonly<Record<string, unknown>>, entry?: JournalEntry) {
    if (String(item.sk).startsWith("TRANSACTION#"))
      this.#claims.addTransaction(item as unknown as Transaction);
    if (entry && changesDisputed(entry) && partition === entry.relatedId && !isDispute(partition))
      this.#ofNone.push(`${programId} ${entry.entryId} changes what is disputed, but belongs to no dispute.`);
    if (!isDispute(partition)) return;
    const isRecord = item.sk === disputes.key(programId, partition).sk;
    if (!entry && !isRecord) return;
    if (isRecord) this.#claims.addDispute(item);
    const key = `${programId} ${partition}`;
    const book = this.#books.get(key) ?? {
      programId,
      disputeId: partition,
      stored: undefined,
      posted: noLiability,
    };
    this.#books.set(key, {
      ...book,
      ...(entry && { posted: withDisputeEntry(book.posted, entry) }),
      ...(isRecord && { stored: item.liability as DisputeLiability | undefined }),
    });
  }

  /** The store may change during the scan: what differs is read again. */
  async faults(): Promise<string[]> {
    const found = [...this.#ofNone, ...(await this.#claims.faults())];
    for (const book of this.#books.values()) {
      if (findDifference(book) === undefined) continue;
      const difference = findDifference(await readAgain(book));
      if (difference) found.push(`${book.programId} ${book.disputeId}: ${difference}.`);
    }
    return found;
  }
}

export function isDispute(partition: string): boolean {
  return partition.startsWith(idStart("dispute"));
}

function changesDisputed({ postings }: JournalEntry): boolean {
  return postings.some(({ account }) => account === "disputed");
}

async function readAgain({ programId, disputeId }: DisputeBook): Promise<DisputeBook> {
  const dispute = await disputes.at(programId, disputeId).get();
  const entries = await journalEntries.list(programId, disputeId);
  const posted = entries.reduce(withDisputeEntry, noLiability);
  return { programId, disputeId, stored: dispute?.liability, posted };
}

/** A dispute whose record is missing has no liability. */
function findDifference({ stored = noLiability, posted }: DisputeBook): string | undefined {
  const names = Object.keys(noLiability) as (keyof DisputeLiability)[];
  const name = names.find((one) => stored[one] !== posted[one]);
  if (name) return `${name} is ${stored[name]}, but ${posted[name]} in the journal`;
  const { original, recovered, writtenOff, denied, remaining } = posted;
  const sum = recovered + writtenOff + denied + remaining;
  return original === sum ? undefined : `original is ${original}, but its parts sum to ${sum}`;
}
