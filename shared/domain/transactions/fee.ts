import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Currency, TransactionStatus } from "../../contract/enums.ts";
import type { FeeType, TransactionType } from "../../contract/transactions.ts";
import { listedPut } from "../../lists/change-row.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** A fee that was charged: posted, never pending. Amounts in minor units. Fees and transactions do not overlap. */
export interface Fee {
  readonly programId: string;
  readonly feeId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly feeType: FeeType;
  readonly transType: Extract<TransactionType, 15>;
  readonly transStatus: Extract<TransactionStatus, 3>;
  readonly amountMinor: number;
  readonly currency: Currency;
  /** 0 with a fee of type 3 (ATM and cash advance), else the amount. */
  readonly srcAmountMinor: number;
  readonly srcCurrency: string;
  /** The transaction that it was charged for. */
  readonly relatedTransId?: string | undefined;
  readonly referenceCode: string;
  readonly description: string;
  readonly transDate: string;
  readonly postDate: string;
  readonly createdAt: string;
  /** The transaction that gave it back. */
  readonly reversedBy?: string | undefined;
}

/** Records a fee, in the transaction that charges it. */
export function feePut(fee: Fee): WriteAction {
  const { programId, cardId, feeId } = fee;
  return {
    name: "fee",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.fee(programId, cardId, feeId),
        entityId: feeId,
        ...fee,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
    alongside: [listedPut("fees", programId, feeId, fee)],
  };
}

/** Marks a fee as given back, which it can be once. The refusal is named `original`. */
export function feeReversedUpdate({ programId, cardId, feeId }: Fee, transId: string): WriteAction {
  return {
    name: "original",
    Update: {
      TableName: environment.issuingTable,
      Key: issuingKey.fee(programId, cardId, feeId),
      UpdateExpression: "SET reversedBy = :by",
      ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(reversedBy)",
      ExpressionAttributeValues: { ":by": transId },
    },
  };
}

/** The fee as it is now, consistently read; undefined where the card has none by this id. */
export async function readFee(programId: string, cardId: string, feeId: string): Promise<Fee | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.fee(programId, cardId, feeId),
      ConsistentRead: true,
    }),
  );
  return Item as Fee | undefined;
}
