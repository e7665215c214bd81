import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import { aggregateTransId, type TransactionsViewResponse } from "../contract/transactions.ts";
import { pick } from "../platform/pick.ts";
import { presented, toVerificationView } from "../verification/presentation.ts";
import type { Transaction } from "./transaction.ts";

/** What has ended in an error. */
const errorType = TransactionType.transaction_unknown;
/** Lists show it only by a filter. */
export const unposted = { transStatus: TransactionStatus.declined, transType: errorType } as const;
export const unpostedTypes: ReadonlySet<number> = new Set([
  TransactionType.authorization_declined,
  TransactionType.token_activation_request,
  errorType,
]);

/** It records a step of a token, and no purchase. */
function isOfToken({ transType }: Transaction): boolean {
  return transType === TransactionType.token_activation_request || transType === TransactionType.token_advice;
}

export function toTransactionView(transaction: Transaction): TransactionsViewResponse {
  const verified = { ...transaction.event, ...presented(transaction) };
  return {
    ...pick(transaction, "transId", "cardId", "cardholderId", "transType", "transStatus", "type", "currency"),
    ...pick(transaction, "srcCurrency", "merchantName", "mcc", "referenceCode", "description"),
    ...pick(transaction, "fundingWalletId", "declineReason", "controlId", "decidedBy"),
    ...pick(transaction, "transDate", "postDate"),
    amount: transaction.amountMinor,
    srcAmount: transaction.srcAmountMinor,
    authorizationId: transaction.authorizationId ?? transaction.gaveBack?.authorizationId,
    tokenId: verified.tokenId,
    originalTransId: transaction.transType === TransactionType.refund ? transaction.relatedId : undefined,
    plasticId: verified.plasticId,
    verification: isOfToken(transaction) ? undefined : toVerificationView(verified),
    dateCreated: transaction.createdAt,
    isAggregate: false,
  };
}

type SummedFields = "cardId" | "cardholderId" | "amount" | "currency" | "transDate";

/**
 * The sum of all open holds, of one card, of a Cardholder's cards, or of the Program: the one line
 * for all holds, since none is listed by itself.
 */
export function toAggregateView(sum: Pick<TransactionsViewResponse, SummedFields>): TransactionsViewResponse {
  return {
    transId: aggregateTransId,
    cardId: sum.cardId,
    cardholderId: sum.cardholderId,
    transType: TransactionType.authorization,
    transStatus: TransactionStatus.pending,
    type: "DR",
    amount: sum.amount,
    currency: sum.currency,
    description: "Pending authorizations",
    transDate: sum.transDate,
    dateCreated: sum.transDate,
    isAggregate: true,
  };
}
