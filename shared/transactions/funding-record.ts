import { TransactionStatus } from "../contract/enums.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import type { Transaction } from "./transaction.ts";
import { type RecordedCard, sourceAmount } from "./transaction-rules.ts";

type FundingFields = Pick<Transaction, "transType" | "type" | "amountMinor" | "description"> &
  Partial<Transaction> & { readonly relatedId: string };

/** Cleared, with the reference of its source record, unless the fields differ. */
export function fundingRecord(
  { programId, cardId, cardholderId, currency }: RecordedCard,
  at: Date,
  { transStatus = TransactionStatus.cleared, ...fields }: FundingFields,
): Transaction {
  const createdAt = timestamp(at);
  return {
    programId,
    transId: newId("transaction"),
    cardId,
    cardholderId,
    transStatus,
    currency,
    ...sourceAmount({}, fields.amountMinor, currency),
    referenceCode: fields.relatedId,
    transDate: createdAt,
    ...(transStatus !== TransactionStatus.pending && { postDate: createdAt }),
    createdAt,
    ...fields,
  };
}
