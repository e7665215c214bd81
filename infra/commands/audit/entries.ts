import { createHash } from "node:crypto";
import { entryPlaces, type JournalEntry } from "../../../shared/domain/ledger/journal-entry.ts";
import { imbalanceOf } from "../../../shared/domain/proofs/account-sums.ts";

/** An account's copy of an entry. */
export interface FoundEntry {
  readonly programId: string;
  readonly accountId: string;
  readonly entry: JournalEntry;
}

interface Expected {
  readonly digest: string;
  readonly missing: Set<string>;
}

/** Checks that each entry balances, has equal copies with exactly its accounts, and a record. */
export class Entries {
  readonly faults: string[] = [];
  count = 0;
  readonly #incomplete = new Map<string, Expected>();
  readonly #told = new Set<string>();

  /** Adds a copy. Returns true for the one copy that represents the entry. */
  add({ programId, accountId, entry }: FoundEntry): boolean {
    const touched = entryPlaces(entry).toSorted();
    const name = `${programId} ${entry.entryId}`;
    if (!touched.includes(accountId))
      this.faults.push(`${name} is stored with ${accountId}, which it does not change.`);
    this.#compare(name, accountId, touched, digestOf(entry));
    if (accountId !== touched[0]) return false;
    this.count += 1;
    const imbalance = imbalanceOf(entry);
    if (imbalance !== 0) this.faults.push(`${name} sums to ${imbalance} instead of zero.`);
    const told = `${programId} ${entry.kind} ${entry.relatedId}`;
    if (this.#told.has(told)) this.faults.push(`${name} is a second ${entry.kind} of ${entry.relatedId}.`);
    this.#told.add(told);
    return true;
  }

  /** Call this after the last entry. */
  end(): void {
    for (const [name, { missing }] of this.#incomplete) {
      this.faults.push(`${name} is not stored with ${[...missing].join(", ")}, which it changes.`);
    }
  }

  #compare(name: string, accountId: string, touched: readonly string[], digest: string): void {
    const expected = this.#incomplete.get(name) ?? { digest, missing: new Set(touched) };
    if (expected.digest !== digest)
      this.faults.push(`${name} differs in ${accountId} from its other copies.`);
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
