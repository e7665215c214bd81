import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import { aggregateTransId, type TransactionsViewResponse } from "../contract/transactions.ts";
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
    authorizationId: transaction.authorizationId ?? transaction.gaveBack?.authorizationId,
    fundingWalletId: transaction.fundingWalletId,
    tokenId: verified.tokenId,
    originalTransId: transaction.transType === TransactionType.refund ? transaction.relatedId : undefined,
    declineReason: transaction.declineReason,
    controlId: transaction.controlId,
    decidedBy: transaction.decidedBy,
    plasticId: verified.plasticId,
    verification: isOfToken(transaction) ? undefined : toVerificationView(verified),
    transDate: transaction.transDate,
    postDate: transaction.postDate,
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
