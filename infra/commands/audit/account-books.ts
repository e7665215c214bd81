import type { Hold } from "../../../shared/authorizations/holds/hold.ts";
import type { Deposit } from "../../../shared/deposits/deposit.ts";
import { type Account, accountAt, type StoredAccount } from "../../../shared/ledger/account.ts";
import { type Part, shardIds, walletShards, withShards } from "../../../shared/ledger/hot/shards.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import type { JournalEntry } from "../../../shared/ledger/journal-entry.ts";
import { balanceChanges } from "../../../shared/ledger/postings.ts";
import { findSwept } from "../../../shared/ledger/stored-entry.ts";
import { walletTransactionList } from "../../../shared/ledger/wallet-transactions.ts";
import { listAttributes } from "../../../shared/lists/kind.ts";
import { readAllEntries } from "../../../shared/lists/rebuild.ts";
import { payouts } from "../../../shared/payments/payout.ts";
import {
  type AccountSums,
  noSums,
  toIdentities,
  withDeposit,
  withEntry,
  withFee,
  withFundedHold,
  withFunding,
  withHold,
  withPayout,
  withTransaction,
} from "../../../shared/proofs/account-sums.ts";
import { proveFromJournal } from "../../../shared/proofs/prove-balances.ts";
import type { Fee } from "../../../shared/transactions/fee.ts";
import type { Transaction } from "../../../shared/transactions/transaction.ts";
import { CheckpointCheck } from "./checkpoint-check.ts";
import { isDispute } from "./dispute-books.ts";
import type { Item } from "./scan.ts";

interface AccountBook {
  readonly programId: string;
  readonly accountId: string;
  account?: Account;
  stored?: StoredAccount;
  /** Parts of the balances of a hot Wallet. */
  readonly shards: Map<string, Part>;
  sums: AccountSums;
  checkpoint?: CheckpointCheck;
}

/** All Cards and Wallets of a store, in memory: only sums of their entries and records. */
export class AccountBooks {
  readonly #books = new Map<string, AccountBook>();

  get count(): number {
    return this.#books.size;
  }

  /** After the last item. */
  *all(): Iterable<AccountBook> {
    yield* this.#books.values();
  }

  add(programId: string, partition: string, sk: string, item: Item, entry: JournalEntry | undefined): void {
    const [kind] = sk.split("#");
    this.#books.get(bookKey(programId, partition))?.checkpoint?.add(item);
    // An entry of contra accounts alone is stored with its record, not with an account. A dispute
    // has copies of its Card's entries.
    if (entry && balanceChanges(entry.postings).size > 0 && !isDispute(partition))
      this.#addEntry(programId, partition, entry);
    switch (kind) {
      case "CARD":
      case "WALLET":
        // A Cardholder's partition contains pointers to Cards.
        if (sk === kind) this.#store(programId, partition, kind === "CARD" ? "card" : "wallet", item);
        return;
      case "CHECKPOINT":
        // Its key precedes those of the items that it covers.
        this.#findBook(programId, partition).checkpoint = new CheckpointCheck(partition, item);
        return;
      case "SHARD":
        this.#addShard(programId, partition, item as unknown as Part);
        return;
      case "TRANSACTION":
        if (item.entityId === undefined) return;
        this.#sum(programId, partition, (sums) => withTransaction(sums, item as unknown as Transaction));
        return;
      case "FEE":
        this.#sum(programId, partition, (sums) => withFee(sums, item as unknown as Fee));
        return;
      case "HOLD": {
        const hold = item as unknown as Hold;
        const { cardId, fundingWalletId } = hold;
        this.#sum(programId, fundingWalletId ?? cardId, (sums) => withHold(sums, hold));
        if (fundingWalletId) this.#sum(programId, cardId, (sums) => withFundedHold(sums, hold));
        return;
      }
      case "PAYMENT": {
        if (sk !== kind || item.kind !== "payout") return;
        const payout = payouts.parse(item);
        this.#sum(programId, payout.walletId, (sums) => withPayout(sums, payout));
        return;
      }
      case "DEPOSIT": {
        const deposit = item as unknown as Deposit;
        this.#sum(programId, deposit.account.accountId, (sums) => withDeposit(sums, deposit));
        return;
      }
    }
  }

  /** What a Wallet has paid for a Card is compared with the Card's records. */
  #addEntry(programId: string, accountId: string, entry: JournalEntry): void {
    this.#sum(programId, accountId, (sums) => withEntry(sums, accountId, entry));
    const entriesMinor = balanceChanges(entry.postings).get(accountId)?.ledgerMinor ?? 0;
    const { cardId } = entry;
    if (cardId === undefined || entriesMinor === 0 || findSwept(entry)) return;
    this.#sum(programId, cardId, (sums) => withFunding(sums, { entriesMinor }));
  }

  #store(programId: string, accountId: string, kind: Account["kind"], item: Item): void {
    const book = this.#findBook(programId, accountId);
    book.account = { kind, accountId };
    const { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor, ...others } =
      item as unknown as StoredAccount;
    const { currency, entries, shards, fundedHeldMinor } = others;
    const balances = { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor };
    book.stored = { ...balances, currency, entries, shards, fundedHeldMinor };
  }

  /** The hot Wallet itself may be scanned later. */
  #addShard(programId: string, partition: string, { availableMinor, heldMinor, entries }: Part): void {
    const [walletId = "", , shardId = ""] = partition.split("#");
    this.#findBook(programId, walletId).shards.set(shardId, { availableMinor, heldMinor, entries });
  }

  #sum(programId: string, accountId: string, add: (sums: AccountSums) => AccountSums): void {
    const book = this.#findBook(programId, accountId);
    book.sums = add(book.sums);
  }

  #findBook(programId: string, accountId: string): AccountBook {
    const key = bookKey(programId, accountId);
    const known = this.#books.get(key);
    if (known) return known;
    const book: AccountBook = { programId, accountId, shards: new Map(), sums: noSums };
    this.#books.set(key, book);
    return book;
  }
}

const bookKey = (programId: string, accountId: string) => `${programId} ${accountId}`;

export function checkpointFaults({ programId, accountId, checkpoint }: AccountBook): string[] {
  const differences = [...(checkpoint?.differences() ?? [])];
  return differences.map((difference) => `${programId} ${accountId}: its checkpoint: ${difference}.`);
}

/** The store may change during the scan, so a fault counts only if a separate proof fails too. */
export async function proveAccount(book: AccountBook): Promise<string[]> {
  const { programId, accountId, account, stored, sums } = book;
  if (!account || !stored)
    return [`${programId} ${accountId} has postings or records but is not a Card or Wallet.`];
  const inParts = await partFaults(programId, account, { ...book, stored });
  if (inParts.length > 0) return inParts;
  if (toIdentities(sums, toWhole({ ...book, stored }), account.kind === "card").every(({ holds }) => holds))
    return [];
  const { identities } = await proveFromJournal(programId, account);
  return identities
    .filter(({ holds }) => !holds)
    .map(
      ({ name, left, right }) =>
        `${programId} ${accountId}: ${name}: ${left.expression} is ${left.amount}, ${right.expression} is ${right.amount}.`,
    );
}

/** A Wallet that changes while it is read is read again. */
const maximumReadings = 6;

type Parts = Pick<AccountBook, "shards"> & { readonly stored: StoredAccount };

export function toWhole({ stored, shards }: Parts): StoredAccount {
  return withShards(stored, shards.values());
}

/** Wrong shards of a Wallet. It may be split or merged during the scan, so they are read again. */
async function partFaults(programId: string, account: Account, scanned: Parts): Promise<string[]> {
  if (findWrongParts(scanned).length === 0) return [];
  const item = accountAt(programId, account);
  const { accountId } = account;
  for (let reading = 1; reading <= maximumReadings; reading += 1) {
    const before = await item.get();
    const ids = new Set([...scanned.shards.keys(), ...shardIds(before ?? {})]);
    const keys = [...ids].map((id) => [id, walletShards.at(programId, accountId, id)] as const);
    const shards = new Map<string, Part>();
    for (const [id, shard] of keys) {
      const found = await shard.get();
      if (found) shards.set(id, found);
    }
    const stored = await item.get();
    const wrong = stored ? findWrongParts({ stored, shards }) : [];
    if (stored && wrong.length === 0) return [];
    // A split and a merge begin another epoch.
    if (!stored || stored.epoch !== before?.epoch) continue;
    return wrong.map((part) => `${programId} ${accountId}: ${part}.`);
  }
  return [`${programId} ${accountId} was split or merged during every read. Audit it again.`];
}

function findWrongParts({ stored, shards }: Parts): string[] {
  const expected = new Set(shardIds(stored));
  const isNegative = ([, { availableMinor }]: readonly [string, Part]) => availableMinor < 0;
  return [
    ...[...expected].filter((id) => !shards.has(id)).map((id) => `its shard ${id} is missing`),
    ...[...shards.keys()]
      .filter((id) => !expected.has(id))
      .map((id) => `it does not have the stored shard ${id}`),
    ...[...shards].filter(isNegative).map(([id]) => `its shard ${id} is below zero`),
    ...(expected.size > 0 && stored.availableMinor < 0
      ? ["its own part is below zero, though it has shards"]
      : []),
  ];
}

/** Returns a fault if a Wallet's listed transactions do not add up to its ledger balance. */
export async function walletSumFaults(programId: string, walletId: string): Promise<string[]> {
  for (let reading = 1; reading <= maximumReadings; reading += 1) {
    const before = await ledgerMinor(programId, walletId);
    const sum = await listedMinor(programId, walletId);
    if (sum === before) return [];
    if ((await ledgerMinor(programId, walletId)) !== before) continue;
    return [
      `${programId} ${walletId}: its listed transactions sum to ${sum}, but its ledgerBalance is ${before}.`,
    ];
  }
  return [`${programId} ${walletId} changed during every read. Audit it again.`];
}

async function ledgerMinor(programId: string, walletId: string): Promise<number | undefined> {
  return (await readAccount(programId, { kind: "wallet", accountId: walletId }, { mayWrite: false }))
    ?.ledgerMinor;
}

async function listedMinor(programId: string, walletId: string): Promise<number> {
  const entries = await readAllEntries({ programId, kind: walletTransactionList, owner: walletId });
  const index = listAttributes(walletTransactionList).indexOf("amountMinor");
  return entries.reduce((sum, { values, weight }) => sum + Number(values[index]) * weight, 0);
}
