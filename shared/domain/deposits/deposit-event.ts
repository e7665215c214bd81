import { DepositStatus } from "../../contract/enums.ts";
import type { OutboxEvent } from "../../contract/outbox.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { renderDepositNotification } from "../notifications/deposit-notifications.ts";
import { notificationPut } from "../notifications/notification.ts";
import type { Deposit } from "./deposit.ts";

const kindOf = {
  [DepositStatus.pending]: "deposit.pending",
  [DepositStatus.cleared]: "deposit.cleared",
  [DepositStatus.reversed]: "deposit.reversed",
  [DepositStatus.returned]: "deposit.returned",
} as const satisfies Record<DepositStatus, OutboxEvent["kind"]>;

/** The outbox event of the deposit's current status, with its notification. */
export function depositEvents(deposit: Deposit, at: Date): WriteAction[] {
  const { programId, depositId, account, amountMinor, currency, channel, chain, asset, txHash } = deposit;
  const { cardholderId, transId } = deposit;
  const notification = renderDepositNotification(deposit, at);
  const detail = {
    depositId,
    transId,
    cardholderId,
    ...(account.kind === "card" ? { cardId: account.accountId } : { walletId: account.accountId }),
    amountMinor,
    currency,
    channel,
    chain,
    asset,
    txHash,
    ...(notification && { notificationIds: [notification.transIdSc] }),
  };
  return [
    ...(notification ? [notificationPut(notification)] : []),
    outboxPut(programId, kindOf[deposit.status], detail, at),
  ];
}
