import { TransactionStatus } from "../contract/enums.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import type { Transaction } from "./transaction.ts";
import { type RecordedCard, sourceAmount } from "./transaction-rules.ts";

type RecordFields = Pick<Transaction, "transType" | "type" | "amountMinor" | "description"> &
  Partial<Transaction>;

/** Cleared, with the reference of its source record if it has one, unless the fields differ. */
export function cardRecord(
  { programId, cardId, cardholderId, currency }: RecordedCard,
  at: Date,
  { transStatus = TransactionStatus.cleared, transId = newId("transaction"), ...fields }: RecordFields,
): Transaction {
  const createdAt = timestamp(at);
  return {
    programId,
    transId,
    cardId,
    cardholderId,
    transStatus,
    currency,
    ...sourceAmount({}, fields.amountMinor, currency),
    referenceCode: fields.relatedId ?? transId,
    transDate: createdAt,
    ...(transStatus !== TransactionStatus.pending && { postDate: createdAt }),
    createdAt,
    ...fields,
  };
}
