import { TransactionType } from "../../../shared/contract/enums.ts";
import {
  type Dispute,
  disputeKeysOf,
  disputes,
  liabilityOf,
} from "../../../shared/domain/disputes/dispute.ts";
import { type Transaction, transactions } from "../../../shared/domain/transactions/transaction.ts";
import { readBatch } from "../../../shared/platform/table/batch.ts";

type Item = Readonly<Record<string, unknown>>;

interface ClaimBook {
  readonly programId: string;
  readonly cardId: string;
  readonly transId: string;
  /** What the transaction says. */
  claimedMinor: number;
  /** What its disputes and refunds say. */
  expectedMinor: number;
}

/** Compares what is claimed of each transaction with its disputes and the refunds that name it. */
export class ClaimBooks {
  readonly #books = new Map<string, ClaimBook>();

  addTransaction(transaction: Transaction): void {
    const { claimedMinor = 0, relatedId } = transaction;
    if (claimedMinor !== 0) this.#bookOf(transaction).claimedMinor += claimedMinor;
    if (relatedId !== undefined && isRefund(transaction))
      this.#bookOf({ ...transaction, transId: relatedId }).expectedMinor += transaction.amountMinor;
  }

  addDispute(item: Item): void {
    const dispute = disputes.parse(item);
    this.#bookOf(dispute).expectedMinor += claimOf(dispute);
  }

  /** The store may change during the scan: what differs is read again. */
  async faults(): Promise<string[]> {
    const found: string[] = [];
    for (const book of this.#books.values()) {
      if (book.claimedMinor === book.expectedMinor) continue;
      const { programId, transId, claimedMinor, expectedMinor } = await ClaimBooks.#readAgain(book);
      if (claimedMinor === expectedMinor) continue;
      const sum = `its disputes and refunds sum to ${expectedMinor}`;
      found.push(`${programId} ${transId}: ${claimedMinor} of it is claimed, but ${sum}.`);
    }
    return found;
  }

  static async #readAgain({ programId, cardId, transId }: ClaimBook): Promise<ClaimBook> {
    const [known, keys] = await Promise.all([
      transactions.list(programId, cardId),
      disputeKeysOf(programId, [cardId]),
    ]);
    const books = new ClaimBooks();
    for (const transaction of known) books.addTransaction(transaction);
    for (const item of await readBatch(keys)) books.addDispute(item);
    return books.#bookOf({ programId, cardId, transId });
  }

  #bookOf({ programId, cardId, transId }: Pick<ClaimBook, "programId" | "cardId" | "transId">): ClaimBook {
    const key = `${programId} ${transId}`;
    const book = this.#books.get(key) ?? { programId, cardId, transId, claimedMinor: 0, expectedMinor: 0 };
    this.#books.set(key, book);
    return book;
  }
}

/** Not a refund that is reversed. One without the name of its purchase claims nothing. */
function isRefund({ transType, reversedBy }: Transaction): boolean {
  return transType === TransactionType.refund && reversedBy === undefined;
}

/** All that is not denied. Chargebacks of an earlier version claim nothing: they have no reason. */
function claimOf(dispute: Dispute): number {
  const { original, denied } = liabilityOf(dispute);
  return dispute.reason === undefined ? 0 : original - denied;
}
