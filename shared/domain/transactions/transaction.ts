import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type Currency, type TransactionStatus, TransactionType } from "../../contract/enums.ts";
import type { AuthorizationDeclineReason, TransactionDirection } from "../../contract/transactions.ts";
import { listInsert } from "../../lists/change.ts";
import type { ListKind } from "../../lists/entry.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

export interface RecordedCard {
  readonly programId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly currency: Currency;
}

/** The record that every event on a card leaves; amounts in minor units. */
export interface Transaction extends RecordedCard {
  readonly transId: string;
  readonly transType: TransactionType;
  readonly transStatus: TransactionStatus;
  readonly type: TransactionDirection;
  /** The change of the ledger balance or of the hold; the requested amount of a decline; else 0. */
  readonly amountMinor: number;
  /** What the merchant billed, in hundredths of `srcCurrency` (ISO 4217 numeric). */
  readonly srcAmountMinor?: number | undefined;
  readonly srcCurrency?: string | undefined;
  readonly merchantName?: string | undefined;
  readonly mcc?: string | undefined;
  readonly merchantId?: string | undefined;
  readonly merchantCity?: string | undefined;
  readonly merchantCountry?: string | undefined;
  readonly referenceCode: string;
  readonly description: string;
  readonly transDate: string;
  /** Absent where it is not posted. */
  readonly postDate?: string | undefined;
  readonly createdAt: string;
  readonly declineReason?: AuthorizationDeclineReason | undefined;
  readonly authorizationId?: string | undefined;
  /** The released part of the authorization's hold. */
  readonly releasedMinor?: number | undefined;
  /** The fee charged with it: an ATM withdrawal's parent. */
  readonly feeId?: string | undefined;
  /** The transaction, fee, transfer or deposit that it reverses, disputes or comes from. */
  readonly relatedId?: string | undefined;
  /** The reversal or the chargeback of this transaction, of which there can be one. */
  readonly reversedBy?: string | undefined;
}

/** No list shows these: holds are in its aggregate line, their releases post nothing, and a reversed deposit has left. */
const unlistedTypes: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization,
  TransactionType.authorization_advice,
  TransactionType.authorization_incremental,
  TransactionType.authorization_reversal,
  TransactionType.authorization_reversal_issuerexpiration,
  TransactionType.authorization_standin,
  TransactionType.gpa_credit_pending_reversal,
  TransactionType.authorizationexpiry,
]);

/** Whether lists show the transaction; a declined one only with its filter. */
export function isListed({ transType }: Pick<Transaction, "transType">): boolean {
  return !unlistedTypes.has(transType);
}

export const transactionList: ListKind = {
  name: "transactions",
  filters: ["transType", "transStatus"],
  orders: ["transDate", "amountMinor"],
  carried: ["cardId"],
  times: ["transDate"],
  shards: 16,
  recordKey: ({ programId }, transId, { cardId }) =>
    issuingKey.transaction(programId, String(cardId), transId),
  // An unlisted transaction is stored beside the others, without an `entityId`.
  toRecord: (stored) => (stored.entityId === undefined ? undefined : stored),
};

export function transactionPut(transaction: Transaction): WriteAction {
  const { programId, cardId, transId } = transaction;
  return {
    name: "transaction",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.transaction(programId, cardId, transId),
        ...(isListed(transaction) && { entityId: transId }),
        ...transaction,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
    ...(isListed(transaction) && {
      alongside: [listInsert(transactionList, programId, transId, transaction)],
    }),
  };
}

/** Marks the transaction as reversed or disputed, which it can be once. The condition is named `original`. */
export function reversedUpdate({ programId, cardId, transId }: Transaction, by: string): WriteAction {
  return {
    name: "original",
    Update: {
      TableName: environment.issuingTable,
      Key: issuingKey.transaction(programId, cardId, transId),
      UpdateExpression: "SET reversedBy = :by",
      ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(reversedBy)",
      ExpressionAttributeValues: { ":by": by },
    },
  };
}

export async function readTransaction(
  programId: string,
  cardId: string,
  transId: string,
): Promise<Transaction | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.transaction(programId, cardId, transId),
      ConsistentRead: true,
    }),
  );
  return Item as Transaction | undefined;
}
