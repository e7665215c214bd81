import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { sourceAmount } from "./source-amount.ts";
import { type RecordedCard, type Transaction, transactionPut } from "./transaction.ts";

/** Records of money that does not come through the card network. A card's statement adds up only with them. */

/** The card's side of a transfer from or to a wallet, or of the sweep when it closes. */
export function transferRecordPut(
  card: RecordedCard,
  { amountMinor, loads, relatedId, at }: { amountMinor: number; loads: boolean; relatedId: string; at: Date },
): WriteAction {
  return fundingRecordPut(card, at, {
    transType: loads ? TransactionType.card_load : TransactionType.card_unload,
    type: loads ? "CR" : "DR",
    amountMinor,
    description: loads ? "Card load" : "Card unload",
    relatedId,
  });
}

export function debtRecordPut(card: RecordedCard, amountMinor: number, at: Date): WriteAction {
  return fundingRecordPut(card, at, {
    transType: TransactionType.clear_negative_balance,
    type: "CR",
    amountMinor,
    description: "Negative balance cleared",
    relatedId: card.cardId,
  });
}

function fundingRecordPut(
  { programId, cardId, cardholderId, currency }: RecordedCard,
  at: Date,
  fields: Pick<Transaction, "transType" | "type" | "amountMinor" | "description"> & { relatedId: string },
): WriteAction {
  return transactionPut({
    programId,
    transId: newId("transaction"),
    cardId,
    cardholderId,
    transStatus: TransactionStatus.cleared,
    currency,
    ...sourceAmount({}, fields.amountMinor, currency),
    referenceCode: fields.relatedId,
    transDate: timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    ...fields,
  });
}
