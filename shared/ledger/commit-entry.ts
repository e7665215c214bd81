import { idempotencyPut, type KeptAnswer, replayOf } from "../idempotency/idempotency-row.ts";
import { type StoredItem, transact, type WriteAction } from "../table/transact.ts";
import { type AccountChange, accountAction } from "./account-change.ts";
import { entryPuts, type JournalEntry } from "./journal-entry.ts";
import { balanceChanges } from "./posting.ts";

/** Everything that one event writes. */
export interface Commit<A> {
  readonly programId: string;
  readonly at: Date;
  /** Absent where no money moves, as when a transfer is declined. */
  readonly entry?: JournalEntry;
  /** Every card and wallet that the entry touches, and those of which something is only required. */
  readonly accounts: readonly AccountChange[];
  /** Records, the outbox item, deadline and deduplication rows. */
  readonly writes: readonly WriteAction[];
  /** The caller's `Idempotency-Key`, if any, with the answer that it is to get again. */
  readonly idempotency?: KeptAnswer<A>;
}

/** What became of a commit. Only `committed` has written anything. */
export type CommitOutcome<A> =
  | { readonly outcome: "committed" }
  /** The idempotency key was used before by the same request: its first answer. */
  | { readonly outcome: "replay"; readonly answer: A }
  /** The idempotency key was used before by another request. */
  | { readonly outcome: "mismatch" }
  /** Conditions that failed, by the name of account or write, with the item that each of them found. */
  | { readonly outcome: "refused"; readonly refusals: ReadonlyMap<string, StoredItem> };

/**
 * Commits one change of money whole or not at all, in one transaction: the accounts' balances as the entry's postings
 * say, the entry, the records, the outbox item, the deduplication and idempotency rows. Nothing is published or
 * recorded after it.
 *
 * @throws TransactionContendedError when others kept writing the same items until patience ran out.
 */
export async function commitEntry<A = never>(commit: Commit<A>): Promise<CommitOutcome<A>> {
  const { programId, at, entry, accounts, writes, idempotency } = commit;
  const changes = balanceChanges(entry?.postings ?? []);
  assertEveryAccountGiven(changes.keys(), accounts);
  const result = await transact([
    ...accounts.map((change) => accountAction(programId, change, changes.get(change.account.accountId))),
    ...(entry ? entryPuts(programId, entry) : []),
    ...writes,
    ...(idempotency ? [idempotencyPut(programId, idempotency, at)] : []),
  ]);
  if (result.committed) return { outcome: "committed" };
  return (
    (idempotency && replayOf(idempotency, result.refusals)) ?? {
      outcome: "refused",
      refusals: result.refusals,
    }
  );
}

/** A posting to an account that the commit does not change would leave a balance that its postings do not explain. */
function assertEveryAccountGiven(touched: Iterable<string>, accounts: readonly AccountChange[]): void {
  const given = new Set(accounts.map(({ account }) => account.accountId));
  for (const accountId of touched) {
    if (!given.has(accountId)) throw new Error(`The entry touches ${accountId}, which is not in the commit.`);
  }
}
