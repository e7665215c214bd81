import { TransactionType } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { newId } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { atmFee, type Fee, newFee } from "../transactions/fee.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { renderHold } from "./hold-notification.ts";
import { type NotifiedCard, notificationPut } from "./notification.ts";
import { renderSettlement, type SettlementFacts } from "./settlement-notification.ts";

export interface CardNotifications {
  /** The event's detail names them; empty if there are none. */
  readonly outboxDetail: { readonly notificationIds?: readonly string[] };
  readonly writes: readonly WriteAction[];
  /** Writes that need the ledger balance after the entry. */
  readonly writesWithBalance?: (ledgerMinor: number) => readonly WriteAction[];
}

interface NotifiedDetail {
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
  readonly placedMinor?: number | undefined;
}

const none: CardNotifications = { outboxDetail: {}, writes: [] };

/**
 * A HOLD for each placed hold, an ACTTXN for each posted transaction and fee. An ATM withdrawal has
 * two: it is the child of its fee, whose amount may be 0.
 */
export function renderCardNotifications(
  kind: OutboxEvent["kind"] | undefined,
  card: NotifiedCard,
  { transaction, fee, placedMinor = 0 }: NotifiedDetail,
): CardNotifications {
  switch (kind) {
    case "hold.placed": {
      if (!transaction || placedMinor <= 0) return none;
      const transIdSc = newId("notification");
      const writes = [notificationPut(renderHold({ transIdSc, card, transaction }))];
      return { outboxDetail: { notificationIds: [transIdSc] }, writes };
    }
    case "transaction.posted":
    case "fee.posted":
    case "transfer.completed":
    case "card.swept":
    case "card.debt_settled":
      return renderSettlements(card, transaction, fee);
    default:
      return none;
  }
}

function renderSettlements(
  card: NotifiedCard,
  transaction: Transaction | undefined,
  charged: Fee | undefined,
): CardNotifications {
  const isCash = transaction?.transType === TransactionType.pindebit_atm_withdrawal;
  const fee = charged ?? (isCash ? zeroFee(card, transaction) : undefined);
  const feeId = fee && newId("notification");
  const transactionId = transaction && newId("notification");
  const settlementPut = (facts: Omit<SettlementFacts, "card">) =>
    notificationPut(renderSettlement({ ...facts, card }));
  return {
    outboxDetail: { notificationIds: [transactionId, feeId].filter((id) => id !== undefined) },
    writes: [],
    writesWithBalance: (ledgerMinor) => {
      const balanceMinor = ledgerMinor + (fee?.amountMinor ?? 0);
      const parentTransIdSc = isCash ? feeId : undefined;
      const writes: WriteAction[] = [];
      if (transaction && transactionId)
        writes.push(
          settlementPut({
            transIdSc: transactionId,
            parentTransIdSc,
            record: transaction,
            balanceMinor,
          }),
        );
      if (fee && feeId)
        writes.push(settlementPut({ transIdSc: feeId, record: fee, balanceMinor: ledgerMinor }));
      return writes;
    },
  };
}

/** The parent of a withdrawal without a fee. It is only rendered, not posted or stored. */
function zeroFee(card: NotifiedCard, { createdAt, transDate, transId }: Transaction): Fee {
  const charge = { identity: card, at: new Date(createdAt), occurredAt: transDate };
  return newFee(charge, { ...atmFee, amountMinor: 0, relatedTransId: transId });
}
