import type { Deposit } from "../../../shared/domain/deposits/deposit.ts";
import type { Hold } from "../../../shared/domain/holds/hold.ts";
import type { Account, StoredAccount } from "../../../shared/domain/ledger/account.ts";
import type { JournalEntry } from "../../../shared/domain/ledger/journal-entry.ts";
import { balanceChanges } from "../../../shared/domain/ledger/postings.ts";
import {
  type AccountSums,
  noSums,
  withDeposit,
  withEntry,
  withFee,
  withHold,
  withTransaction,
} from "../../../shared/domain/proofs/account-sums.ts";
import { identitiesOf } from "../../../shared/domain/proofs/identities.ts";
import { proveBalances } from "../../../shared/domain/proofs/prove-balances.ts";
import type { Fee } from "../../../shared/domain/transactions/fee.ts";
import type { Transaction } from "../../../shared/domain/transactions/transaction.ts";

type Item = Readonly<Record<string, unknown>>;

/** One card or wallet: what is stored with it, and what everything else that is stored of it adds up to. */
export interface AccountBook {
  readonly programId: string;
  readonly accountId: string;
  account?: Account;
  stored?: StoredAccount;
  sums: AccountSums;
}

/** Every card and wallet of a store. It is in memory, one line for each; of their entries and records only the sums are. */
export class AccountBooks {
  readonly #books = new Map<string, AccountBook>();

  get count(): number {
    return this.#books.size;
  }

  all(): Iterable<AccountBook> {
    return this.#books.values();
  }

  /** Takes an item into the book of the account that it is about, if it is about one. */
  add(programId: string, partition: string, sk: string, item: Item): void {
    const [kind] = sk.split("#");
    switch (kind) {
      case "CARD":
      case "WALLET":
        // A Cardholder's partition holds pointers to cards, which are none themselves.
        if (sk === kind) this.#store(programId, partition, kind === "CARD" ? "card" : "wallet", item);
        return;
      case "ENTRY":
        // An entry of contra accounts alone stands with its record, which is no account.
        if (balanceChanges((item as unknown as JournalEntry).postings).size === 0) return;
        this.#sum(programId, partition, (sums) =>
          withEntry(sums, partition, item as unknown as JournalEntry),
        );
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
        this.#sum(programId, hold.cardId, (sums) => withHold(sums, hold));
        return;
      }
      case "DEPOSIT": {
        const deposit = item as unknown as Deposit;
        this.#sum(programId, deposit.account.accountId, (sums) => withDeposit(sums, deposit));
        return;
      }
    }
  }

  #store(programId: string, accountId: string, kind: Account["kind"], item: Item): void {
    const book = this.#bookOf(programId, accountId);
    book.account = { kind, accountId };
    const { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor, currency } =
      item as unknown as StoredAccount;
    book.stored = { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor, currency };
  }

  #sum(programId: string, accountId: string, add: (sums: AccountSums) => AccountSums): void {
    const book = this.#bookOf(programId, accountId);
    book.sums = add(book.sums);
  }

  #bookOf(programId: string, accountId: string): AccountBook {
    const key = `${programId} ${accountId}`;
    const known = this.#books.get(key);
    if (known) return known;
    const book: AccountBook = { programId, accountId, sums: noSums };
    this.#books.set(key, book);
    return book;
  }
}

/**
 * What does not hold of an account. A store in use moves while it is scanned: what seems to fail is proved once more by itself, and told only where
 * that fails too.
 */
export async function faultsOf({
  programId,
  accountId,
  account,
  stored,
  sums,
}: AccountBook): Promise<string[]> {
  if (!account || !stored)
    return [`${programId} ${accountId} has postings or records, and is no card or wallet.`];
  if (identitiesOf(sums, stored, account.kind === "card").every(({ holds }) => holds)) return [];
  const { identities } = await proveBalances(programId, account);
  return identities
    .filter(({ holds }) => !holds)
    .map(
      ({ name, left, right }) =>
        `${programId} ${accountId}: ${name}: ${left.expression} is ${left.amount}, ${right.expression} is ${right.amount}.`,
    );
}
