import type { CardIdentity } from "../cards/card.ts";
import { TransactionType } from "../contract/enums.ts";
import { renderSettlements } from "../notifications/settlement-notification.ts";
import { cardRecord } from "../transactions/card-record.ts";
import { transactionPut } from "../transactions/transaction-rules.ts";
import type { RecordOnCard } from "./transfer.ts";

/** The Card's side of a transfer from or to a Wallet, or of the sweep when it closes. */
export const recordOnCard: RecordOnCard = (card, { loads, amountMinor, relatedId, at }) =>
  recordFunding(card, at, {
    transType: loads ? TransactionType.card_load : TransactionType.card_unload,
    type: loads ? "CR" : "DR",
    amountMinor,
    description: loads ? "Card load" : "Card unload",
    relatedId,
  });

/** What is posted to a Card by the Program itself, with its notification. */
export function recordFunding(
  card: CardIdentity,
  at: Date,
  fields: Parameters<typeof cardRecord>[2],
): ReturnType<RecordOnCard> {
  const transaction = cardRecord(card, at, fields);
  const notified = renderSettlements(card, { transaction });
  return { writes: [transactionPut(transaction)], ...notified };
}

/** The record of a debt that is paid for the Card. */
export function debtCleared(relatedId: string, amountMinor: number) {
  return {
    transType: TransactionType.clear_negative_balance,
    type: "CR",
    amountMinor,
    description: "Negative balance cleared",
    relatedId,
  } as const;
}
