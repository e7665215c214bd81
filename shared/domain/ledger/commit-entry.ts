import { idempotencyPut, type KeptAnswer, replayOf } from "../../platform/idempotency/idempotency-row.ts";
import { backOff } from "../../platform/table/back-off.ts";
import {
  type StoredItem,
  TransactionContendedError,
  transact,
  type WriteAction,
} from "../../platform/table/transact.ts";
import { noteConflicts } from "../../platform/table/write-conflicts.ts";
import { readAccount } from "./account.ts";
import { type AccountChange, accountAction } from "./account-change.ts";
import { entryPuts, type JournalEntry } from "./journal-entry.ts";
import { balanceChanges, zeroBalances } from "./posting.ts";

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
  /** Writes that tell what an account's ledger balance comes to by the entry. */
  readonly telling?: {
    /** The `name` of the account's change. */
    readonly name: string;
    readonly writes: (ledgerMinor: number) => readonly WriteAction[];
    /** The ledger balance, where it has been read already. */
    readonly seenMinor?: number;
  };
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
  return commit.telling ? commitTelling(commit, commit.telling) : commitOnce(commit);
}

/** Each further attempt means that another entry came between the balance that was seen and the commit. */
const maximumTellings = 40;

/**
 * What is to tell the balance after the entry needs it beforehand: the commit requires that the ledger balance is still as it was seen, and
 * tries again from the one that it met. A balance that the caller requires anyway is taken as seen.
 */
async function commitTelling<A>(
  commit: Commit<A>,
  { name, writes, seenMinor: known }: NonNullable<Commit<A>["telling"]>,
): Promise<CommitOutcome<A>> {
  const { programId, accounts, entry } = commit;
  const change = accounts.find((one) => one.name === name);
  if (!change) throw new Error(`The commit tells the balance of ${name}, which is not in it.`);
  const { account, require } = change;
  const added = balanceChanges(entry?.postings ?? []).get(account.accountId) ?? zeroBalances;
  const required = require?.balances?.ledgerMinor;
  let seenMinor = required ?? known ?? (await readAccount(programId, account))?.ledgerMinor ?? 0;
  for (let told = 1; told <= maximumTellings; told += 1) {
    const balances = { ...require?.balances, ledgerMinor: seenMinor };
    const outcome = await commitOnce({
      ...commit,
      accounts: accounts.map((one) => (one === change ? { ...one, require: { ...require, balances } } : one)),
      writes: [...commit.writes, ...writes(seenMinor + added.ledgerMinor)],
    });
    const metMinor = outcome.outcome === "refused" ? outcome.refusals.get(name)?.ledgerMinor : undefined;
    const isMoved =
      outcome.outcome === "refused" &&
      required === undefined &&
      typeof metMinor === "number" &&
      metMinor !== seenMinor &&
      outcome.refusals.size === 1;
    if (!isMoved) {
      noteConflicts({ actions: [name], conflicts: told - 1 });
      return outcome;
    }
    await backOff(told);
    seenMinor = (await readAccount(programId, account))?.ledgerMinor ?? metMinor;
  }
  noteConflicts({ actions: [name], conflicts: maximumTellings, givenUp: true });
  throw new TransactionContendedError([name]);
}

async function commitOnce<A>(commit: Commit<A>): Promise<CommitOutcome<A>> {
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
