import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import { timestamp } from "../platform/clock.ts";
import type { Transaction } from "./transaction.ts";
import { type RecordedCard, sourceAmount } from "./transaction-rules.ts";

/** Says that the PIN was set or changed, and nothing about it. */
export function pinRecord(
  { programId, cardId, cardholderId, currency }: RecordedCard,
  transId: string,
  at: Date,
): Transaction {
  const createdAt = timestamp(at);
  return {
    programId,
    cardId,
    cardholderId,
    currency,
    transId,
    transType: TransactionType.pin_change,
    transStatus: TransactionStatus.cleared,
    type: "DR",
    amountMinor: 0,
    ...sourceAmount({}, 0, currency),
    referenceCode: transId,
    description: "PIN set",
    transDate: createdAt,
    postDate: createdAt,
    createdAt,
  };
}
