import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Currency, TransactionStatus } from "../../contract/enums.ts";
import type {
  AuthorizationDeclineReason,
  TransactionDirection,
  TransactionType,
} from "../../contract/transactions.ts";
import { listedPut } from "../../lists/change-row.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** Something that happened on a card, as it is stored; amounts in minor units. Every event on a card leaves one. */
export interface Transaction {
  readonly programId: string;
  readonly transId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly transType: TransactionType;
  readonly transStatus: TransactionStatus;
  readonly type: TransactionDirection;
  /** What the ledger balance changed by, or the hold; what was asked for with a decline; 0 where no money moves. */
  readonly amountMinor: number;
  readonly currency: Currency;
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
  /** When it was posted; absent where it is not. */
  readonly postDate?: string | undefined;
  readonly createdAt: string;
  readonly declineReason?: AuthorizationDeclineReason | undefined;
  /** The authorization that it belongs to. */
  readonly authorizationId?: string | undefined;
  /** What was released of the authorization's hold. */
  readonly releasedMinor?: number | undefined;
  /** The fee that was charged with it: an ATM withdrawal's parent. */
  readonly feeId?: string | undefined;
  /** The transaction, fee, transfer or deposit that it reverses, disputes or comes from. */
  readonly relatedId?: string | undefined;
  /** The reversal or the chargeback of this transaction, of which there can be one. */
  readonly reversedBy?: string | undefined;
}

/**
 * Types that no list shows: holds stand in its aggregate line, what releases them moves nothing that is posted, and a pending deposit that
 * was reversed has left it.
 */
const unlistedTypes: ReadonlySet<TransactionType> = new Set([1, 2, 11, 12, 13, 14, 25, 83] as const);

/** Whether lists show the transaction; a declined one only to those who ask for it. */
export function isListed({ transType }: Pick<Transaction, "transType">): boolean {
  return !unlistedTypes.has(transType);
}

/** Records a transaction, in the transaction of the change that it tells of. */
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
      alongside: [listedPut("transactions", programId, transId, transaction)],
    }),
  };
}

/** Marks a transaction as reversed or disputed, which it can be once. The refusal is named `original`. */
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

/** The transaction as it is now, consistently read; undefined where the card has none by this id. */
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
