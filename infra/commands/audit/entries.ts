import { createHash } from "node:crypto";
import { entryPlaces, type JournalEntry } from "../../../shared/domain/ledger/journal-entry.ts";
import { imbalanceOf } from "../../../shared/domain/proofs/account-sums.ts";

/** A copy of an entry, found with one of the accounts that it touches. */
export interface FoundEntry {
  readonly programId: string;
  readonly accountId: string;
  readonly entry: JournalEntry;
}

/** What the copies of an entry are to be alike in, and where the others are. */
interface Expected {
  readonly digest: string;
  readonly missing: Set<string>;
}

/** All entries of a store: each is double, stands whole with every account that it touches and nowhere else, and tells of its record alone. */
export class Entries {
  readonly faults: string[] = [];
  count = 0;
  readonly #incomplete = new Map<string, Expected>();
  readonly #told = new Set<string>();

  /** Takes a copy; whether it is the one that stands for the entry. */
  add({ programId, accountId, entry }: FoundEntry): boolean {
    const touched = entryPlaces(entry).toSorted();
    const name = `${programId} ${entry.entryId}`;
    if (!touched.includes(accountId))
      this.faults.push(`${name} stands with ${accountId}, which it does not touch.`);
    this.#compare(name, accountId, touched, digestOf(entry));
    if (accountId !== touched[0]) return false;
    this.count += 1;
    const imbalance = imbalanceOf(entry);
    if (imbalance !== 0) this.faults.push(`${name} does not sum to zero, but to ${imbalance}.`);
    const told = `${programId} ${entry.kind} ${entry.relatedId}`;
    if (this.#told.has(told)) this.faults.push(`${name} is a second ${entry.kind} of ${entry.relatedId}.`);
    this.#told.add(told);
    return true;
  }

  /** To be called after the last entry. */
  end(): void {
    for (const [name, { missing }] of this.#incomplete) {
      this.faults.push(`${name} does not stand with ${[...missing].join(", ")}, which it touches.`);
    }
  }

  #compare(name: string, accountId: string, touched: readonly string[], digest: string): void {
    const expected = this.#incomplete.get(name) ?? { digest, missing: new Set(touched) };
    if (expected.digest !== digest)
      this.faults.push(`${name} is not the same with ${accountId} as elsewhere.`);
    expected.missing.delete(accountId);
    if (expected.missing.size === 0) this.#incomplete.delete(name);
    else this.#incomplete.set(name, expected);
  }
}

function digestOf({ entryId, kind, postings, relatedId, createdAt }: JournalEntry): string {
  const lines = postings.map(({ account, amountMinor }) => [account, amountMinor]);
  const text = JSON.stringify([entryId, kind, relatedId, createdAt, lines]);
  return createHash("sha256").update(text).digest("base64");
}
