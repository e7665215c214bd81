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
  /** What reversals have given back, by the transaction and by their refunds. */
  reversedMinor: number;
  refundedMinor: number;
}

/** Compares what is claimed, or given back, of each transaction with its disputes and refunds. */
export class ClaimBooks {
  readonly #books = new Map<string, ClaimBook>();

  addTransaction(transaction: Transaction): void {
    const { claimedMinor = 0, reversedMinor = 0, relatedId, gaveBack } = transaction;
    if (claimedMinor !== 0) this.#bookOf(transaction).claimedMinor += claimedMinor;
    if (reversedMinor !== 0) this.#bookOf(transaction).reversedMinor += reversedMinor;
    if (!isRefund(transaction)) return;
    if (relatedId !== undefined)
      this.#bookOf({ ...transaction, transId: relatedId }).expectedMinor += transaction.amountMinor;
    for (const { transId, amountMinor } of gaveBack?.parts ?? [])
      this.#bookOf({ ...transaction, transId }).refundedMinor += amountMinor;
  }

  addDispute(item: Item): void {
    const dispute = disputes.parse(item);
    this.#bookOf(dispute).expectedMinor += claimOf(dispute);
  }

  /** The store may change during the scan: what differs is read again. */
  async faults(): Promise<string[]> {
    const found: string[] = [];
    for (const book of this.#books.values()) {
      if (differenceOf(book) === undefined) continue;
      const difference = differenceOf(await ClaimBooks.#readAgain(book));
      if (difference) found.push(`${book.programId} ${book.transId}: ${difference}.`);
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
    const nothing = { claimedMinor: 0, expectedMinor: 0, reversedMinor: 0, refundedMinor: 0 };
    const book = this.#books.get(key) ?? { programId, cardId, transId, ...nothing };
    this.#books.set(key, book);
    return book;
  }
}

function differenceOf(book: ClaimBook): string | undefined {
  const { claimedMinor, expectedMinor, reversedMinor, refundedMinor } = book;
  if (claimedMinor !== expectedMinor)
    return `${claimedMinor} of it is claimed, but its disputes and refunds sum to ${expectedMinor}`;
  // More may be given back: reversals of withdrawals, and of earlier versions, name no parts.
  if (reversedMinor < refundedMinor)
    return `${reversedMinor} of it is given back, but refunds of its reversals sum to ${refundedMinor}`;
  return undefined;
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
