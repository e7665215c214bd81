import { BoundedMap } from "../platform/bounded-map.ts";
import { withCarriedEvent } from "../platform/outbox/carried-event.ts";
import { Conflict, type Delay, retry } from "../platform/table/retry.ts";
import { beingWritten, takingOnce, transactUnless, type WriteAction } from "../platform/table/transact.ts";
import { type Account, type AccountChange, accountAction, accountAt, type EntryCause } from "./account.ts";
import {
  type CommitOutcome,
  type Placed,
  readAccount,
  requireHotWallets,
  type Touched,
} from "./hot-wallets.ts";
import { entryPuts, type JournalEntry, withEntry } from "./journal-entry.ts";
import { balanceChanges } from "./postings.ts";

export interface Commit {
  readonly programId: string;
  readonly at: Date;
  /** Absent if no money moves, as in a declined transfer. */
  readonly entry?: JournalEntry | undefined;
  /** Further entries of the same accounts, such as a fee that is charged with it. */
  readonly furtherEntries?: readonly JournalEntry[] | undefined;
  /** Every account that the entry touches, and those with conditions only. */
  readonly accounts?: readonly AccountChange[] | undefined;
  /** Records, the outbox item, deadline and deduplication rows. */
  readonly writes: readonly WriteAction[];
  /** Writes that hold an account's ledger balance after the entry. */
  readonly balanceAfter?: {
    /** The `name` of the account's change. */
    readonly name: string;
    readonly writes: (ledgerMinor: number) => readonly WriteAction[];
    /** The ledger balance before the entry, where it has been read already. */
    readonly seenMinor?: number | undefined;
    /** Where it has not been read: may try the balance after this process's last commit first. */
    readonly mayGuess?: boolean;
    /**
     * A Wallet that many Cards move at once, also if this entry leaves it as it is: told is what it
     * was as it was read for this entry, and what the entry adds. Nothing waits for the others.
     */
    readonly shared?: Account;
  };
}

/**
 * Commits one change of money in a single transaction: balances, journal entry, records, outbox
 * item and deduplication row. Nothing is published or recorded later.
 * @throws ContendedError when the time for retries is up
 */
export async function commit(given: Commit): Promise<CommitOutcome> {
  return given.balanceAfter ? commitWithBalance(given, given.balanceAfter) : commitOnce(given);
}

/** Balances after this process's last commits: how many in a row. Another's between costs two. */
const lastBalances = new BoundedMap<string, { readonly minor: number; readonly inRow: number }>(10_000);

/**
 * The writes need the balance after the entry, so the commit requires the one before it. Retries
 * with the one that was found, unless the caller requires it too. A wrong guess costs a retry.
 */
async function commitWithBalance(
  given: Commit,
  { name, writes, seenMinor: known, mayGuess = false, shared }: NonNullable<Commit["balanceAfter"]>,
): Promise<CommitOutcome> {
  const { programId, accounts = [], entry } = given;
  const changes = balanceChanges(entry?.postings ?? []);
  const addedMinor = ({ accountId }: Account) => changes.get(accountId)?.ledgerMinor ?? 0;
  if (shared) {
    const ledgerMinor = known ?? (await readAccount(programId, shared))?.ledgerMinor ?? 0;
    return commitOnce({ ...given, writes: [...given.writes, ...writes(ledgerMinor + addedMinor(shared))] });
  }
  const change = accounts.find((one) => one.name === name);
  if (!change) throw new Error(`The commit writes the balance of ${name}, which is not in it.`);
  const { account } = change;
  const { pk } = accountAt(programId, account).key;
  const required = change.balances?.ledgerMinor;
  const last = mayGuess ? lastBalances.get(pk) : undefined;
  let seenMinor = required ?? known ?? (last && last.inRow > 0 ? last.minor : undefined);
  let mayBeOld = seenMinor !== undefined;
  const attempt = async () => {
    const ledgerMinor = seenMinor ?? (await readAccount(programId, account))?.ledgerMinor ?? 0;
    const balances = { ...change.balances, ledgerMinor };
    const result = await commitOnce({
      ...given,
      accounts: accounts.map((one) => (one === change ? { ...one, balances } : one)),
      writes: [...given.writes, ...writes(ledgerMinor + addedMinor(account))],
    });
    if (result.outcome === "committed") {
      const inRow = (last?.minor ?? ledgerMinor) === ledgerMinor ? (last?.inRow ?? 0) + 1 : -1;
      if (mayGuess) lastBalances.set(pk, { minor: ledgerMinor + addedMinor(account), inRow });
      return result;
    }
    const foundMinor = result.failedConditions.get(name)?.ledgerMinor;
    const hasMoved = typeof foundMinor === "number" && foundMinor !== ledgerMinor;
    if (!hasMoved || required !== undefined || result.failedConditions.size > 1) return result;
    seenMinor = mayBeOld ? foundMinor : undefined;
    mayBeOld = false;
    return new Conflict(name);
  };
  const first = mayBeOld ? await attempt() : undefined;
  return first && !(first instanceof Conflict) ? first : retry<CommitOutcome>(attempt);
}

/** Written once for an event or a request: at most one of them is in a commit. */
const carriers = new Set(["processorEvent", "transfer"]);

async function commitOnce({ programId, accounts = [], writes, ...given }: Commit): Promise<CommitOutcome> {
  const { entry, furtherEntries = [] } = given;
  const entries = [...(entry ? [entry] : []), ...furtherEntries];
  const changes = balanceChanges(entries.flatMap(({ postings }) => postings));
  assertEveryAccountGiven(changes.keys(), accounts);
  const touched = accounts
    .filter(({ isCreated }) => !isCreated)
    .map((change) => ({
      change,
      delta: changes.get(change.account.accountId),
      entry: toCause(entries, change),
    }));
  const hasWallet = touched.some(({ change }) => change.account.kind === "wallet");
  const placed = (hasWallet ? requireHotWallets().place : placeCards)(programId, touched);
  const records = withCarriedEvent(writes, carriers);
  const carrying = entry ? withEntry(programId, entry, records) : records;
  const others = [...furtherEntries.flatMap((one) => entryPuts(programId, one)), ...carrying];
  let isCommitted = false;
  try {
    const result = await takingOnce(
      others,
      (actions) => retry(() => placed.commit(actions), placed.delay),
      (ended) => (ended.outcome === "failed" ? ended.failedConditions : undefined),
    );
    isCommitted = result.outcome === "committed";
    return result;
  } finally {
    await placed.release?.(isCommitted);
  }
}

/** What the account is told to have moved by: the first entry that touches it. */
function toCause(entries: readonly JournalEntry[], { account }: AccountChange): EntryCause | undefined {
  const [first, ...more] = entries.filter(({ postings }) => balanceChanges(postings).has(account.accountId));
  return first && { kind: first.kind, relatedId: first.relatedId, count: 1 + more.length };
}

/** Each Card's change is written to its own item. */
function placeCards(programId: string, touched: readonly Touched[]): Placed {
  const actions = () =>
    touched.map(({ change, delta, entry }) => accountAction(programId, change, delta, entry));
  return { commit: (others) => sendCommit([...actions(), ...others]) };
}

/** A conflict on a record that is given back fails the commit, as its condition would. */
export async function sendCommit(
  actions: readonly WriteAction[],
  delay?: Delay,
): Promise<CommitOutcome & { readonly contended?: readonly string[] }> {
  const after = new Map(actions.map(({ name, givenBackAfter }) => [name, givenBackAfter] as const));
  const isGivenBack = (name: string, conflicts: number) =>
    conflicts >= (after.get(name) ?? Number.POSITIVE_INFINITY);
  const sent = await transactUnless(actions, isGivenBack, delay);
  if (!("contended" in sent))
    return sent.committed
      ? { outcome: "committed" }
      : { outcome: "failed", failedConditions: sent.failedConditions };
  const names = sent.contended.filter((name) => after.get(name) !== undefined);
  const failedConditions = new Map(names.map((name) => [name, beingWritten] as const));
  return { outcome: "failed", failedConditions, contended: sent.contended };
}

/** Every posted account must be in the commit: otherwise its balance would not follow. */
function assertEveryAccountGiven(touched: Iterable<string>, accounts: readonly AccountChange[]): void {
  const given = new Set(accounts.map(({ account }) => account.accountId));
  for (const accountId of touched) {
    if (!given.has(accountId)) throw new Error(`The entry touches ${accountId}, which is not in the commit.`);
  }
}
