import * as z from "zod";
import type { Merchant } from "../contract/card-network.ts";
import { currencyCodes } from "../contract/currencies.ts";
import { type Currency, numericCurrency, TransactionStatus, TransactionType } from "../contract/enums.ts";
import { findTypeFacts } from "../contract/transaction-types.ts";
import { listInsert } from "../lists/entry.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Transaction, transactionList, transactions } from "./transaction.ts";

export interface RecordedCard {
  readonly programId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly currency: Currency;
}

/** Whether lists show the transaction; a declined one only with its filter. */
export function isListed({
  transType,
  amountMinor,
  interchangeMinor,
}: Pick<Transaction, "transType"> & Partial<Pick<Transaction, "amountMinor" | "interchangeMinor">>): boolean {
  // The clearing of cash that was posted in the same amount. Interchange moves money.
  const isCleared = transType === TransactionType.pindebit_authorization_clearing && amountMinor === 0;
  if (isCleared && !interchangeMinor) return false;
  return !findTypeFacts(transType).isUnlisted;
}

export function transactionPut(transaction: Transaction): WriteAction {
  const { programId, cardId, transId } = transaction;
  const item = transactions.at(programId, cardId, transId);
  if (!isListed(transaction)) return item.create(transaction);
  return {
    ...item.create({ entityId: transId, ...transaction }),
    alongside: [listInsert(transactionList, programId, transId, transaction)],
  };
}

/**
 * What the merchant billed: the amount itself if nothing was converted, or in what is no currency.
 * An amount in another currency may be unknown.
 */
export function sourceAmount(
  { srcAmount, srcCurrency }: Pick<Merchant, "srcAmount" | "srcCurrency">,
  amountMinor: number,
  currency: Currency,
): { srcAmountMinor: number | undefined; srcCurrency: string } {
  const own = numericCurrency[currency];
  return srcCurrency === undefined || srcCurrency === own || !currencyCodes.has(srcCurrency)
    ? { srcAmountMinor: amountMinor, srcCurrency: own }
    : { srcAmountMinor: srcAmount, srcCurrency };
}

/** What is posted now, in a Program whose network settles it later or not. */
export function postedStatus(transType: TransactionType, settlesLater = false): TransactionStatus {
  return settlesLater && findTypeFacts(transType).isSettled
    ? TransactionStatus.cleared
    : TransactionStatus.completion;
}

const Reference = z.object({ cardId: z.string(), transId: z.string() });
export type Reference = Readonly<z.output<typeof Reference>>;

/** The settlement that brought a reference code. The network's codes are unique in a Program. */
export const references = defineEntity({
  name: "reference",
  schema: Reference,
  key: (programId: string, referenceCode: string) => ({
    pk: `${programId}#REFERENCE#${referenceCode}`,
    sk: "REFERENCE",
  }),
});
