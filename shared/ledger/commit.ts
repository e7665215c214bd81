import { BoundedMap } from "../platform/bounded-map.ts";
import { withCarriedEvent } from "../platform/outbox/carried-event.ts";
import { Conflict, type Delay, jitter, retry, soon } from "../platform/table/retry.ts";
import {
  beingWritten,
  type FailedConditions,
  takingOnce,
  transactUnless,
  type WriteAction,
} from "../platform/table/transact.ts";
import {
  type Account,
  type AccountBalances,
  type AccountChange,
  accountAction,
  accountAt,
  type EntryCause,
} from "./account.ts";
import { type Placement, readAccount, requireHotWallets, type WalletPlacement } from "./hot-wallets.ts";
import { entryPuts, type JournalEntry, withEntry } from "./journal-entry.ts";
import { balanceChanges, zeroBalances } from "./postings.ts";

export interface Commit {
  readonly programId: string;
  readonly at: Date;
  /** Absent if no money moves, as in a declined transfer. */
  readonly entry?: JournalEntry | undefined;
  /** Further entries of the same accounts, such as a fee that is charged with it. */
  readonly furtherEntries?: readonly JournalEntry[] | undefined;
  /** Every account that the entry touches, and those with conditions only. */
  readonly accounts: readonly AccountChange[];
  /** Records, the outbox item, deadline and deduplication rows. */
  readonly writes: readonly WriteAction[];
  /** Writes that hold an account's ledger balance after the entry. */
  readonly balanceAfter?: {
    /** The `name` of the account's change. */
    readonly name: string;
    readonly writes: (ledgerMinor: number) => readonly WriteAction[];
    /** The ledger balance before the entry, where it has been read already. */
    readonly seenMinor?: number | undefined;
    /** Where it has not been read: tries the balance after this process's last commit first. */
    readonly mayGuess?: boolean;
    /**
     * A Wallet that many Cards move at once, also if this entry leaves it as it is: told is what it
     * was as it was read for this entry, and what the entry adds. Nothing waits for the others.
     */
    readonly shared?: Account;
  };
}

/** What became of a commit. Only `committed` has written anything. */
type CommitOutcome =
  | { readonly outcome: "committed" }
  | { readonly outcome: "failed"; readonly failedConditions: FailedConditions };

/**
 * Commits one change of money in a single transaction: balances, journal entry, records, outbox
 * item and deduplication row. Nothing is published or recorded later.
 * @throws ContendedError when the time for retries is up
 */
export async function commit(given: Commit): Promise<CommitOutcome> {
  return given.balanceAfter ? commitWithBalance(given, given.balanceAfter) : commitOnce(given);
}

/** The ledger balances after this process's last commits. Others may have moved them since. */
const lastBalances = new BoundedMap<string, number>(10_000);

/**
 * The writes need the balance after the entry, so the commit requires the balance before it.
 * Retries with the current one if another write changed it, unless the caller requires it too: one
 * that was seen earlier at once, with the balance that was found.
 */
async function commitWithBalance(
  given: Commit,
  { name, writes, seenMinor: known, mayGuess = false, shared }: NonNullable<Commit["balanceAfter"]>,
): Promise<CommitOutcome> {
  const { programId, accounts, entry } = given;
  const change = accounts.find((one) => one.name === name);
  const account = shared ?? change?.account;
  if (!account) throw new Error(`The commit writes the balance of ${name}, which is not in it.`);
  const added = balanceChanges(entry?.postings ?? []).get(account.accountId) ?? zeroBalances;
  if (shared || !change) {
    const ledgerMinor = known ?? (await readAccount(programId, account))?.ledgerMinor ?? 0;
    return commitOnce({ ...given, writes: [...given.writes, ...writes(ledgerMinor + added.ledgerMinor)] });
  }
  const { pk } = accountAt(programId, account).key;
  const required = change.balances?.ledgerMinor;
  let seenMinor = required ?? known ?? (mayGuess ? lastBalances.get(pk) : undefined);
  let mayBeOld = required === undefined && seenMinor !== undefined;
  const attempt = async () => {
    const ledgerMinor = seenMinor ?? (await readAccount(programId, account))?.ledgerMinor ?? 0;
    const balances = { ...change.balances, ledgerMinor };
    const result = await commitOnce({
      ...given,
      accounts: accounts.map((one) => (one === change ? { ...one, balances } : one)),
      writes: [...given.writes, ...writes(ledgerMinor + added.ledgerMinor)],
    });
    if (result.outcome === "committed") {
      if (mayGuess) lastBalances.set(pk, ledgerMinor + added.ledgerMinor);
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

async function commitOnce({ programId, accounts, writes, ...given }: Commit): Promise<CommitOutcome> {
  const { entry, furtherEntries = [] } = given;
  const entries = [...(entry ? [entry] : []), ...furtherEntries];
  const changes = balanceChanges(entries.flatMap(({ postings }) => postings));
  assertEveryAccountGiven(changes.keys(), accounts);
  const placed = accounts.filter(({ isCreated }) => !isCreated);
  const placements = placed.map((change) =>
    place(programId, change, changes.get(change.account.accountId), toCause(entries, change)),
  );
  const wallets = placements.filter(isOfWallet);
  const records = withCarriedEvent(writes, carriers);
  const carrying = entry ? withEntry(programId, entry, records) : records;
  const others = [...furtherEntries.flatMap((one) => entryPuts(programId, one)), ...carrying];
  let isCommitted = false;
  try {
    const result = await takingOnce(
      others,
      (actions) => retry(() => commitPlaced(placements, actions), chooseDelay(wallets)),
      (ended) => (ended.outcome === "failed" ? ended.failedConditions : undefined),
    );
    isCommitted = result.outcome === "committed";
    return result;
  } finally {
    await Promise.all(wallets.map((wallet) => wallet.release(isCommitted)));
  }
}

/** What the account is told to have moved by: the first entry that touches it. */
function toCause(entries: readonly JournalEntry[], { account }: AccountChange): EntryCause | undefined {
  const touching = entries.filter(({ postings }) => balanceChanges(postings).has(account.accountId));
  const [first] = touching;
  return first && { kind: first.kind, relatedId: first.relatedId, count: touching.length };
}

function place(
  programId: string,
  change: AccountChange,
  delta: AccountBalances | undefined,
  entry: EntryCause | undefined,
): Placement | WalletPlacement {
  if (change.account.kind === "wallet") return requireHotWallets().place(programId, change, delta, entry);
  return { name: change.name, actions: () => [accountAction(programId, change, delta, entry)] };
}

function isOfWallet(placement: Placement): placement is WalletPlacement {
  return "holdsUpOthers" in placement;
}

/** DynamoDB takes no more in one transaction. */
const maximumWrites = 100;

function countWrites(actions: readonly WriteAction[]): number {
  return actions.reduce((sum, { alongside = [] }) => sum + 1 + alongside.length, 0);
}

/** A commit that others wait for is not delayed. */
function chooseDelay(wallets: readonly WalletPlacement[]): Delay {
  return (conflicts) => (wallets.some(({ holdsUpOthers }) => holdsUpOthers) ? soon(1) : jitter(conflicts));
}

/**
 * After a Wallet's conflict, or if a part of it lacks the money, the next attempt differs. A
 * conflict on a record that is given back fails the commit, as its condition would.
 */
async function commitPlaced(
  placements: readonly Placement[],
  others: readonly WriteAction[],
  isRepeated = false,
): Promise<CommitOutcome | Conflict> {
  const wallets = placements.filter(isOfWallet);
  const isSealed = wallets.some(({ holdsUpOthers }) => holdsUpOthers);
  if (!isSealed) await Promise.all(wallets.map((wallet) => wallet.prepare()));
  const actions = [...placements.flatMap((placement) => placement.actions()), ...others];
  // A Wallet's merge is a transaction of its own where this one has no room for it.
  if (countWrites(actions) > maximumWrites) {
    const made = await Promise.all(wallets.map((wallet) => wallet.makeWhole()));
    if (made.includes(true)) return new Conflict(...wallets.map(({ name }) => name));
  }
  const givenBackAfter = new Map([
    ...others.map(({ name, givenBackAfter: conflicts }) => [name, conflicts] as const),
    ...wallets.map(({ name }) => [name, 1] as const),
  ]);
  const isGivenBack = (name: string, conflicts: number) =>
    conflicts >= (givenBackAfter.get(name) ?? Number.POSITIVE_INFINITY);
  const result = await transactUnless(actions, isGivenBack, chooseDelay(wallets));
  if ("contended" in result) {
    const contended = wallets.filter(({ name }) => result.contended.includes(name));
    if (contended.length === 0) {
      const names = result.contended.filter((name) => givenBackAfter.get(name) !== undefined);
      return { outcome: "failed", failedConditions: new Map(names.map((name) => [name, beingWritten])) };
    }
    // All must end first: one that seals afterwards would never be released.
    const ends = await Promise.allSettled(contended.map((placement) => placement.avoidConflict()));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return new Conflict(...result.contended);
  }
  if (result.committed) return { outcome: "committed" };
  const failedConditions = new Map(result.failedConditions);
  const parts = wallets.filter(
    (wallet) => failedConditions.has(wallet.name) && wallet.isPart(failedConditions.get(wallet.name)),
  );
  const found = new Map(parts.map(({ name }) => [name, failedConditions.get(name)]));
  for (const { name } of parts) failedConditions.delete(name);
  if (failedConditions.size === 0) {
    for (const part of parts) {
      const mayWait = !wallets.some((other) => other !== part && other.holdsUpOthers);
      const whole = await part.replan(found.get(part.name), mayWait);
      if (whole) failedConditions.set(part.name, { ...whole });
    }
  }
  if (failedConditions.size > 0) return { outcome: "failed", failedConditions };
  if (!isRepeated) return commitPlaced(placements, others, true);
  return new Conflict(...parts.map(({ name }) => name));
}

/** Every posted account must be in the commit: otherwise its balance would not follow. */
function assertEveryAccountGiven(touched: Iterable<string>, accounts: readonly AccountChange[]): void {
  const given = new Set(accounts.map(({ account }) => account.accountId));
  for (const accountId of touched) {
    if (!given.has(accountId)) throw new Error(`The entry touches ${accountId}, which is not in the commit.`);
  }
}
