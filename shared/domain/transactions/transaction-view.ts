import type { Currency } from "../../contract/enums.ts";
import { aggregateTransId } from "../../contract/statement.ts";
import type { TransactionsViewResponse } from "../../contract/transactions.ts";
import type { Transaction } from "./transaction.ts";

/** The transaction as it is answered. */
export function transactionView(transaction: Transaction): TransactionsViewResponse {
  return {
    transId: transaction.transId,
    cardId: transaction.cardId,
    cardholderId: transaction.cardholderId,
    transType: transaction.transType,
    transStatus: transaction.transStatus,
    type: transaction.type,
    amount: transaction.amountMinor,
    currency: transaction.currency,
    srcAmount: transaction.srcAmountMinor,
    srcCurrency: transaction.srcCurrency,
    merchantName: transaction.merchantName,
    mcc: transaction.mcc,
    referenceCode: transaction.referenceCode,
    description: transaction.description,
    declineReason: transaction.declineReason,
    transDate: transaction.transDate,
    postDate: transaction.postDate,
    dateCreated: transaction.createdAt,
    isAggregate: false,
  };
}

/** What the aggregate line sums up: all open holds of one card, of a Cardholder's cards, or of the Program. */
export interface Aggregate {
  readonly cardId?: string | undefined;
  readonly cardholderId?: string | undefined;
  readonly amountMinor: number;
  readonly currency: Currency;
  /** When it was summed up. */
  readonly at: string;
}

/** The one line that stands for all holds, none of which is listed by itself. */
export function aggregateView({
  cardId,
  cardholderId,
  amountMinor,
  currency,
  at,
}: Aggregate): TransactionsViewResponse {
  return {
    transId: aggregateTransId,
    cardId,
    cardholderId,
    transType: 1,
    transStatus: 1,
    type: "DR",
    amount: amountMinor,
    currency,
    description: "Pending authorizations",
    transDate: at,
    dateCreated: at,
    isAggregate: true,
  };
}
