import { FeeType, numericCurrency, TransactionStatus, TransactionType } from "../contract/enums.ts";
import type { FeesViewResponse } from "../contract/transactions.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { pick } from "../platform/pick.ts";
import { all, exists } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Fee, fees } from "./fee.ts";
import type { RecordedCard } from "./transaction-rules.ts";

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
    referenceCode: feeId,
    description: descriptions[fields.feeType],
    transDate: occurredAt ?? timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    ...fields,
  };
}

/** Marks the fee as reversed, which it can be once. The condition is named `original`. */
export function feeReversedUpdate({ programId, cardId, feeId }: Fee, transId: string): WriteAction {
  const isUnreversed = all<Fee>(exists, { reversedBy: undefined });
  return {
    ...fees.at(programId, cardId, feeId).update({ set: { reversedBy: transId } }, isUnreversed),
    name: "original",
  };
}

/** Lists show it only by its status. */
export const uncharged = { transStatus: TransactionStatus.error } as const;

export function toFeeView(fee: Fee): FeesViewResponse {
  return {
    ...pick(fee, "feeId", "cardId", "cardholderId", "feeType", "transStatus"),
    amount: fee.amountMinor,
    ...pick(fee, "currency", "relatedTransId", "description"),
    dateCreated: fee.createdAt,
  };
}
