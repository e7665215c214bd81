import type { FeesViewResponse } from "../../contract/transactions.ts";
import type { Fee } from "./fee.ts";

/** The fee as it is answered. */
export function feeView(fee: Fee): FeesViewResponse {
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
