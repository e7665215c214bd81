import { readEntries } from "../books/read-entries.ts";
import { readAccount } from "../ledger/hot-wallets.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { balanceChanges } from "../ledger/postings.ts";
import { findFacts } from "../network-events/card-event.ts";
import { now } from "../platform/clock.ts";
import { withoutPrefix } from "../platform/id.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import { readStable, TooManyRecordsError } from "./card-history.ts";
import type { Movement } from "./movement.ts";
import type { CardStart, WalletStart } from "./simulated-card.ts";

export interface WalletHistory {
  readonly start: WalletStart;
  /** What moves as it did: all but the events of these Cards that are decided again. */
  readonly movements: readonly Movement[];
}

type Spender = Pick<CardStart, "cardId" | "fromMs" | "walletIds">;

export function findWalletIds(cards: readonly Pick<Spender, "walletIds">[]): string[] {
  return [...new Set(cards.flatMap(({ walletIds }) => walletIds))].sort();
}

interface Wanted {
  readonly programId: string;
  readonly walletId: string;
  readonly cards: readonly Spender[];
  readonly until: Date;
  /** Asked before each entry. */
  readonly mayRead?: () => boolean;
}

/**
 * The whole Wallet as it was when the first of the Cards begins, and what happened to it then.
 * @throws TooManyRecordsError
 */
export async function readWalletHistory(wanted: Wanted): Promise<WalletHistory> {
  const { programId, walletId, until } = wanted;
  const { account: wallet, found: all } = await readStable(
    () => readAccount(programId, { kind: "wallet", accountId: walletId }, { mayWrite: false }),
    () => readMovements(wanted),
  );
  const availableMinor = (wallet?.availableMinor ?? 0) - all.changeMinor;
  const movements = all.movements.filter(({ atMs }) => atMs < until.getTime());
  return { start: { walletId, availableMinor }, movements };
}

async function readMovements({ programId, walletId, cards, mayRead = () => true }: Wanted) {
  const spenders = new Map(
    cards.filter(({ walletIds }) => walletIds.includes(walletId)).map((card) => [card.cardId, card]),
  );
  const from = new Date(Math.min(...[...spenders.values()].map(({ fromMs }) => fromMs)));
  // An entry that is written meanwhile may be ahead of this clock.
  const span = { from, until: new Date(now().getTime() + 60_000) };
  const movements: Movement[] = [];
  let changeMinor = 0;
  for await (const { entry } of readEntries(programId, walletId, span)) {
    if (!mayRead()) throw new TooManyRecordsError();
    const availableMinor = balanceChanges(entry.postings).get(walletId)?.availableMinor ?? 0;
    changeMinor += availableMinor;
    if (availableMinor === 0) continue;
    const record = await readRecord(programId, entry, spenders);
    if (record === "decided") continue;
    const { relatedId } = record ?? {};
    const [atMs, ulid] = [Date.parse(entry.createdAt), withoutPrefix(entry.entryId)];
    movements.push({
      walletId,
      cardId: entry.cardId ?? "",
      atMs,
      ulid,
      availableMinor,
      feeMinor: 0,
      relatedId,
    });
  }
  return { movements, changeMinor };
}

/** The record of a simulated Card's entry that moves as it did, or that it is decided again. */
async function readRecord(
  programId: string,
  { kind, cardId, relatedId, postings, createdAt }: JournalEntry,
  spenders: ReadonlyMap<string, Spender>,
): Promise<Transaction | "decided" | undefined> {
  const spender = spenders.get(cardId ?? "");
  // What comes from the Card's own account has gone on to the Wallet.
  if (!spender || balanceChanges(postings).has(spender.cardId)) return undefined;
  if (Date.parse(createdAt) < spender.fromMs) return undefined;
  // An entry is called as its event, or as what that does to a hold: both are decided again.
  if (kind.startsWith("hold_") || findFacts({ kind }).isControlled) return "decided";
  const record = await transactions.at(programId, spender.cardId, relatedId).get();
  return record?.event ? "decided" : record;
}
