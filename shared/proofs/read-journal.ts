import { holds } from "../authorizations/holds/hold.ts";
import { heldMinor } from "../authorizations/holds/hold-rules.ts";
import { DepositStatus } from "../contract/enums.ts";
import { deposits } from "../deposits/deposit.ts";
import { type Account, accountAt } from "../ledger/account.ts";
import { readJournalPages } from "../ledger/closed-journal.ts";
import { type EntryKind, isWalletId, type JournalEntry, journalEntries } from "../ledger/journal-entry.ts";
import { balanceChanges } from "../ledger/postings.ts";
import { findPaid, parseEntry } from "../ledger/stored-entry.ts";
import { payoutHeldMinor, payouts } from "../payments/payout.ts";
import { now, timestamp } from "../platform/clock.ts";
import { readBatch } from "../platform/table/batch.ts";
import { isTimeUp, withinReserve } from "../platform/time-budget.ts";
import { transactions } from "../transactions/transaction.ts";
import { accountParts, type Checkpoint, checkpoints, keepCheckpoint, settleMs } from "./checkpoint.ts";
import { JournalTally } from "./journal-tally.ts";

type Item = Readonly<Record<string, unknown>>;

interface JournalReading {
  readonly programId: string;
  readonly account: Account;
  /** Reads only what came later. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Stops after a page if this returns true. */
  readonly isTimeUp: () => boolean;
  /** Leaves out what is not settled. */
  readonly isSettledOnly?: boolean;
}

/** A checkpoint costs a write: fewer items than these are read again instead. */
const minimumItems = 256;

/** Adds up the settled items: those that no commit under way can precede. */
export async function readJournal({
  programId,
  account,
  checkpoint,
  isTimeUp,
  isSettledOnly = false,
}: JournalReading) {
  const begunAt = checkpoint?.begunAt ?? timestamp();
  const { pk } = accountAt(programId, account).key;
  const tally = new JournalTally(account.accountId, checkpoint);
  const later: Item[] = [];
  const of = { programId, accountId: account.accountId };
  let added = 0;
  const readPart = async ({ part, bound }: { part: string; bound: string }) => {
    const keys = { first: tally.begin(part), last: isSettledOnly ? bound : `${part}#~` };
    if (keys.first >= keys.last) return true;
    let mustStop = false;
    for await (const items of readJournalPages(pk, keys)) {
      if (mustStop) return false;
      const settled = items.filter(({ sk }) => String(sk) < bound);
      await addItems(of, tally, settled);
      added += settled.length;
      later.push(...items.slice(settled.length));
      mustStop = isTimeUp();
    }
    tally.endPart(part, bound);
    return true;
  };
  const addOpenOnes = async () => checkpoint && addOpen(programId, account.accountId, tally, checkpoint);
  const [parts] = await Promise.all([
    Promise.all(accountParts(account, new Date(now().getTime() - settleMs)).map(readPart)),
    isSettledOnly || addOpenOnes(),
  ]);
  const isComplete = parts.every((isRead) => isRead);
  const isWorthKeeping = added >= minimumItems || !isComplete;
  // Last, because most readings are not worth keeping, and a Card can have 2,000 open holds.
  if (isSettledOnly && isWorthKeeping) await withinReserve(addOpenOnes);
  return {
    next: tally.toCheckpoint(begunAt),
    isWorthKeeping,
    /** Whether the time was enough. */
    isComplete,
    /** Adds the items that are not settled. */
    addLater: async () => {
      await addItems(of, tally, later);
      return tally.sums();
    },
  };
}

/** Adds items, with the holds and deposits that they belong to, as they are now. */
async function addItems(
  { programId, accountId }: { readonly programId: string; readonly accountId: string },
  tally: JournalTally,
  items: readonly Item[],
): Promise<void> {
  for (const item of items) tally.add(item);
  const entries = items.flatMap((item) => parseEntry(item) ?? []);
  const relatedTo = (wanted: EntryKind) =>
    entries.filter(({ kind }) => kind === wanted).map(({ relatedId }) => relatedId);
  const authorizationIds = [
    ...items.flatMap(({ authorizationId }) => authorizationId ?? []).map(String),
    ...relatedTo("hold_reserved"),
  ];
  const depositIds = [...relatedTo("deposit_pending"), ...relatedTo("pull_collected")];
  const ofCards = isWalletId(accountId) ? await readHolding(programId, accountId, entries) : [];
  await Promise.all([
    addHolds(programId, tally, [...authorizationIds, ...ofCards]),
    addDeposits(programId, tally, depositIds),
    addPayouts(programId, tally, relatedTo("payout_held")),
    addPaid(programId, tally, items),
  ]);
}

/** The authorizations by which Cards began to hold some of the Wallet: their records name them. */
async function readHolding(programId: string, walletId: string, entries: readonly JournalEntry[]) {
  const keys = entries.flatMap(({ cardId, relatedId, postings, kind }) => {
    const isHolding = (balanceChanges(postings).get(walletId)?.heldMinor ?? 0) > 0;
    const isRecorded = cardId !== undefined && kind !== "hold_reserved";
    return isRecorded && isHolding ? [transactions.key(programId, cardId, relatedId)] : [];
  });
  const found = await readBatch(keys);
  return found.flatMap(({ authorizationId }) => authorizationId ?? []).map(String);
}

/** Adds the entries of Wallets that a Card's records name. */
async function addPaid(programId: string, tally: JournalTally, items: readonly Item[]): Promise<void> {
  const paid = items.flatMap((item) => findPaid(item) ?? []);
  const found = await readBatch(
    paid.map(({ walletId, entryId }) => journalEntries.key(programId, walletId, entryId)),
  );
  const entries = new Map(found.map((item) => [String(item.entryId), journalEntries.parse(item)]));
  for (const { walletId, entryId } of paid) {
    const entry = entries.get(entryId);
    tally.addPaid((entry && balanceChanges(entry.postings).get(walletId)?.ledgerMinor) ?? 0);
  }
}

async function addOpen(
  programId: string,
  accountId: string,
  tally: JournalTally,
  { authorizationIds, depositIds, payoutIds = [], pendingCredits }: Checkpoint,
): Promise<void> {
  const [, , , credits] = await Promise.all([
    addHolds(programId, tally, authorizationIds),
    addDeposits(programId, tally, depositIds),
    addPayouts(programId, tally, payoutIds),
    readBatch(pendingCredits.map((transId) => transactions.key(programId, accountId, transId))),
  ]);
  for (const credit of credits) {
    if (credit.entityId !== undefined) tally.addTransaction(transactions.parse(credit));
  }
}

async function addHolds(programId: string, tally: JournalTally, ids: readonly string[]): Promise<void> {
  const unread = [...new Set(ids)].filter((id) => !tally.hasHold(id));
  const found = await readBatch(unread.map((id) => holds.at(programId, id).key));
  for (const hold of found.map((item) => holds.parse(item))) {
    const amountMinor = heldMinor(hold);
    if (amountMinor > 0) tally.addHold(hold, amountMinor);
  }
}

async function addDeposits(programId: string, tally: JournalTally, ids: readonly string[]): Promise<void> {
  const found = await readBatch([...new Set(ids)].map((id) => deposits.at(programId, id).key));
  for (const { depositId, status, amountMinor } of found.map((item) => deposits.parse(item))) {
    if (status === DepositStatus.pending) tally.deposits.set(depositId, amountMinor);
  }
}

async function addPayouts(programId: string, tally: JournalTally, ids: readonly string[]): Promise<void> {
  const found = await readBatch([...new Set(ids)].map((id) => payouts.at(programId, id).key));
  for (const payout of found.map((item) => payouts.parse(item))) {
    const amountMinor = payoutHeldMinor(payout);
    if (amountMinor > 0) tally.payouts.set(payout.paymentId, amountMinor);
  }
}

/** Adds what has settled to an account's checkpoint, if it is enough. Safe to run concurrently. */
export async function advanceCheckpoint(programId: string, account: Account): Promise<void> {
  const checkpoint = await checkpoints.at(programId, account.accountId).get();
  const reading = await readJournal({ programId, account, checkpoint, isTimeUp, isSettledOnly: true });
  if (reading.isWorthKeeping) await keepCheckpoint(programId, account, reading.next, checkpoint);
}
