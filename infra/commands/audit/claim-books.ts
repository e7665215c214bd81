import { paidMinor } from "../../../shared/authorizations/holds/claims.ts";
import { TransactionType } from "../../../shared/contract/enums.ts";
import { disputes, readDisputeKeys } from "../../../shared/disputes/dispute.ts";
import { isDisputeType } from "../../../shared/disputes/transitions.ts";
import { readBatch } from "../../../shared/platform/table/batch.ts";
import { type Transaction, transactions } from "../../../shared/transactions/transaction.ts";
import type { Item } from "./scan.ts";

type Ids = Pick<Transaction, "programId" | "cardId" | "transId">;

const nothing = {
  /** What was settled, if the transaction was read, and what it says of the following. */
  amountMinor: undefined as number | undefined,
  claimedMinor: 0,
  refundedMinor: 0,
  settledMinor: 0,
  creditedMinor: 0,
  reversedMinor: 0,
  /** What its disputes say. */
  disputed: { claimedMinor: 0, settledMinor: 0, creditedMinor: 0 },
  /** What refunds that name it say, and those of its reversals. */
  refunds: 0,
  givenBack: 0,
  /** What the Card has of its disputes, by the Card's records. */
  paid: 0,
};
type ClaimBook = Ids & typeof nothing;

/** Compares what is claimed, or given back, of each transaction with its disputes and refunds. */
export class ClaimBooks {
  readonly #books = new Map<string, ClaimBook>();

  addTransaction(transaction: Transaction): void {
    const { claimedMinor = 0, reversedMinor = 0, relatedId, gaveBack, transType } = transaction;
    if (claimedMinor !== 0 || reversedMinor !== 0 || transaction.creditedMinor !== undefined)
      Object.assign(this.#findBook(transaction), whatItSays(transaction));
    if (isDisputeType(transType) && relatedId !== undefined)
      this.#findBook({ ...transaction, transId: relatedId }).paid +=
        transaction.type === "CR" ? transaction.amountMinor : -transaction.amountMinor;
    if (!isRefund(transaction)) return;
    if (relatedId !== undefined)
      this.#findBook({ ...transaction, transId: relatedId }).refunds += transaction.amountMinor;
    for (const { transId, amountMinor } of gaveBack?.parts ?? [])
      this.#findBook({ ...transaction, transId }).givenBack += amountMinor;
  }

  addDispute(item: Item): void {
    const dispute = disputes.parse(item);
    const { disputed } = this.#findBook(dispute);
    const { original, denied, recovered, writtenOff } = dispute.liability;
    disputed.claimedMinor += original - denied;
    disputed.settledMinor += recovered + writtenOff;
    disputed.creditedMinor += dispute.creditedMinor;
  }

  /** The store may change during the scan: what differs is read again. */
  async faults(): Promise<string[]> {
    const found: string[] = [];
    for (const book of this.#books.values()) {
      if (findDifference(book) === undefined) continue;
      const difference = findDifference(await ClaimBooks.#readAgain(book));
      if (difference) found.push(`${book.programId} ${book.transId}: ${difference}.`);
    }
    return found;
  }

  static async #readAgain({ programId, cardId, transId }: ClaimBook): Promise<ClaimBook> {
    const [known, keys] = await Promise.all([
      transactions.list(programId, cardId),
      readDisputeKeys(programId, [cardId]),
    ]);
    const books = new ClaimBooks();
    for (const transaction of known) books.addTransaction(transaction);
    for (const item of await readBatch(keys)) books.addDispute(item);
    return books.#findBook({ programId, cardId, transId });
  }

  #findBook({ programId, cardId, transId }: Ids): ClaimBook {
    const key = `${programId} ${transId}`;
    const book = this.#books.get(key) ?? { programId, cardId, transId, ...structuredClone(nothing) };
    this.#books.set(key, book);
    return book;
  }
}

function whatItSays({ amountMinor, claimedMinor = 0, refundedMinor = 0, ...others }: Transaction) {
  const { settledMinor = 0, creditedMinor = 0, reversedMinor = 0 } = others;
  return { amountMinor, claimedMinor, refundedMinor, settledMinor, creditedMinor, reversedMinor };
}

function findDifference(book: ClaimBook): string | undefined {
  const { amountMinor = 0, claimedMinor, refundedMinor, reversedMinor, refunds, givenBack, paid } = book;
  const { disputed } = book;
  if (claimedMinor !== disputed.claimedMinor + refunds)
    return `${claimedMinor} of it is claimed, but its disputes and refunds sum to ${disputed.claimedMinor + refunds}`;
  if (refundedMinor !== refunds)
    return `${refundedMinor} of it is refunded, but its refunds sum to ${refunds}`;
  for (const name of ["settledMinor", "creditedMinor"] as const)
    if (book[name] !== disputed[name])
      return `${book[name]} of it is ${words[name]}, but its disputes sum to ${disputed[name]}`;
  // More may be given back: reversals of withdrawals name no parts.
  if (reversedMinor < givenBack)
    return `${reversedMinor} of it is given back, but refunds of its reversals sum to ${givenBack}`;
  const claims = disputed.claimedMinor + reversedMinor;
  if (claims > amountMinor)
    return `${claims} of it is disputed or given back, but ${amountMinor} was settled`;
  const mayHave = paidMinor({ ...book, amountMinor });
  return paid === mayHave ? undefined : `the Card has ${paid} of its disputes, but may have ${mayHave}`;
}

const words = { settledMinor: "won or written off", creditedMinor: "credited" } as const;

/** Not a refund that is reversed. One without the name of its purchase claims nothing. */
function isRefund({ transType, reversedBy }: Transaction): boolean {
  return transType === TransactionType.refund && reversedBy === undefined;
}
