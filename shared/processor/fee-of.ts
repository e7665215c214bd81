import { timestamp } from "../clock.ts";
import { TransactionStatus } from "../contract/enums.ts";
import type { FeeType } from "../contract/transactions.ts";
import { newId } from "../id.ts";
import type { Fee } from "../transaction/fee.ts";
import { numericCurrency } from "../transaction/source-amount.ts";
import { referenceCodeOf, type Subject } from "./card-event.ts";

const descriptionOf = {
  1: "Card Issuance Fee",
  2: "Maintenance Fee",
  3: "Cash Advance Fee",
  4: "Foreign Exchange Fee",
  5: "Service Fee",
} as const satisfies Record<FeeType, string>;

/** The record of a fee that is charged on a card. */
export function feeOf(
  { event, identity, at }: Subject,
  fields: Pick<Fee, "feeType" | "amountMinor"> &
    Partial<Pick<Fee, "srcAmountMinor" | "relatedTransId" | "description">>,
): Fee {
  const { programId, cardId, cardholderId, currency } = identity;
  const feeId = newId("fee");
  return {
    programId,
    feeId,
    cardId,
    cardholderId,
    transType: 15,
    transStatus: TransactionStatus.completion,
    currency,
    srcAmountMinor: fields.amountMinor,
    srcCurrency: numericCurrency[currency],
    referenceCode: referenceCodeOf(feeId),
    description: descriptionOf[fields.feeType],
    transDate: event.occurredAt ?? timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    ...fields,
  };
}
