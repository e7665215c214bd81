import * as z from "zod";
import { Currency, FeeType, TransactionStatus, TransactionType } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { listInsert } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

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

export const feeList = defineList({
  name: "fees",
  filters: ["feeType", "transStatus"],
  orders: ["amountMinor"],
  carried: ["cardId"],
  shards: 16,
  recordKey: ({ programId }, feeId, { cardId }) => fees.key(programId, String(cardId), feeId),
});

export function feePut(fee: Fee): WriteAction {
  const { programId, cardId, feeId } = fee;
  return {
    ...fees.at(programId, cardId, feeId).create({ entityId: feeId, ...fee }),
    alongside: [listInsert(feeList, programId, feeId, fee)],
  };
}
