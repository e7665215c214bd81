import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type Currency, FeeType, TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { listInsert } from "../../lists/change.ts";
import type { ListKind } from "../../lists/entry.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { newId, withoutPrefix } from "../../platform/id.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { numericCurrency } from "./source-amount.ts";
import type { RecordedCard } from "./transaction.ts";

/** A charged fee, in minor units: posted, never pending. A fee is no transaction. */
export interface Fee {
  readonly programId: string;
  readonly feeId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly feeType: FeeType;
  readonly transType: typeof TransactionType.fee_charge;
  readonly transStatus: typeof TransactionStatus.completion;
  readonly amountMinor: number;
  readonly currency: Currency;
  /** 0 with a fee of type 3 (ATM and cash advance), else the amount. */
  readonly srcAmountMinor: number;
  readonly srcCurrency: string;
  /** The transaction that it is charged for. */
  readonly relatedTransId?: string | undefined;
  readonly referenceCode: string;
  readonly description: string;
  readonly transDate: string;
  readonly postDate: string;
  readonly createdAt: string;
  /** The transaction that reversed it. */
  readonly reversedBy?: string | undefined;
}

const descriptions = {
  [FeeType.issuance]: "Card Issuance Fee",
  [FeeType.maintenance]: "Maintenance Fee",
  [FeeType.atm]: "Cash Advance Fee",
  [FeeType.crossBorder]: "Foreign Exchange Fee",
  [FeeType.service]: "Service Fee",
} as const satisfies Record<FeeType, string>;

export const atmFee = { feeType: FeeType.atm, description: "Foreign Cash Adv Fee" } as const;

export interface Charge {
  readonly identity: RecordedCard;
  readonly at: Date;
  /** When the charged event happened, if that was earlier. */
  readonly occurredAt?: string | undefined;
}

export function newFee(
  { identity, at, occurredAt }: Charge,
  fields: Pick<Fee, "feeType" | "amountMinor"> & Partial<Pick<Fee, "relatedTransId" | "description">>,
): Fee {
  const { programId, cardId, cardholderId, currency } = identity;
  const feeId = newId("fee");
  return {
    programId,
    feeId,
    cardId,
    cardholderId,
    transType: TransactionType.fee_charge,
    transStatus: TransactionStatus.completion,
    currency,
    // The network states no merchant amount for a fee of cash.
    srcAmountMinor: fields.feeType === FeeType.atm ? 0 : fields.amountMinor,
    srcCurrency: numericCurrency[currency],
    referenceCode: withoutPrefix(feeId),
    description: descriptions[fields.feeType],
    transDate: occurredAt ?? timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    ...fields,
  };
}

export const feeList: ListKind = {
  name: "fees",
  filters: ["feeType", "transStatus"],
  orders: ["amountMinor"],
  carried: ["cardId"],
  shards: 16,
  recordKey: ({ programId }, feeId, { cardId }) => issuingKey.fee(programId, String(cardId), feeId),
};

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
    alongside: [listInsert(feeList, programId, feeId, fee)],
  };
}

/** Marks the fee as reversed, which it can be once. The condition is named `original`. */
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
