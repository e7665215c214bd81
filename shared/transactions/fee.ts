import * as z from "zod";
import { Currency, FeeType, numericCurrency, TransactionStatus, TransactionType } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { FeesViewResponse } from "../contract/transactions.ts";
import { listInsert } from "../lists/entry.ts";
import type { ListKind } from "../lists/kind.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { all, exists } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { RecordedCard } from "./transaction-rules.ts";

/** A charged fee, in minor units: posted, never pending. A fee is no transaction. */
const Fee = z.object({
  programId: z.string(),
  feeId: z.string(),
  /** The `feeId`: every fee is listed. */
  entityId: z.string().optional(),
  cardId: z.string(),
  cardholderId: z.string(),
  feeType: integerEnum(FeeType),
  transType: z.literal(TransactionType.fee_charge),
  /** Error: it was not charged. */
  transStatus: z.literal([TransactionStatus.completion, TransactionStatus.error]),
  amountMinor: z.int(),
  currency: integerEnum(Currency),
  /** 0 with a fee of type 3 (ATM and cash advance), else the amount. */
  srcAmountMinor: z.int(),
  srcCurrency: z.string(),
  /** The transaction that it is charged for. */
  relatedTransId: z.string().optional(),
  /** The Wallet that paid it, instead of the Card's own account. */
  fundingWalletId: z.string().optional(),
  referenceCode: z.string(),
  description: z.string(),
  transDate: z.string(),
  postDate: z.string(),
  createdAt: z.string(),
  /** The transaction that reversed it. */
  reversedBy: z.string().optional(),
});
export type Fee = Readonly<z.output<typeof Fee>>;

export const fees = defineEntity({
  name: "fee",
  schema: Fee,
  key: (programId: string, cardId: string, feeId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `FEE#${feeId}`,
  }),
});

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

export const feeList: ListKind = {
  name: "fees",
  filters: ["feeType", "transStatus"],
  orders: ["amountMinor"],
  carried: ["cardId"],
  shards: 16,
  recordKey: ({ programId }, feeId, { cardId }) => fees.key(programId, String(cardId), feeId),
};

export function feePut(fee: Fee): WriteAction {
  const { programId, cardId, feeId } = fee;
  return {
    ...fees.at(programId, cardId, feeId).create({ entityId: feeId, ...fee }),
    alongside: [listInsert(feeList, programId, feeId, fee)],
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
    feeId: fee.feeId,
    cardId: fee.cardId,
    cardholderId: fee.cardholderId,
    feeType: fee.feeType,
    transStatus: fee.transStatus,
    amount: fee.amountMinor,
    currency: fee.currency,
    relatedTransId: fee.relatedTransId,
    description: fee.description,
    dateCreated: fee.createdAt,
  };
}
