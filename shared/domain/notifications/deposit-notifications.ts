import { DepositStatus } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import type { Deposit } from "../deposits/deposit.ts";
import type { Notification } from "./notification.ts";
import { renderDeposit } from "./render-deposit.ts";

/**
 * The notification of a deposit in its present status. None of one in a wallet, which has no card to name, nor of one that was
 * reversed, of which the specification knows none.
 */
export function depositNotice(deposit: Deposit, at: Date): Notification | undefined {
  const { programId, account, cardholderId, cardToken, currency, status } = deposit;
  if (account.kind !== "card" || cardholderId === undefined || cardToken === undefined) return undefined;
  if (status === DepositStatus.reversed) return undefined;
  const { pendingTransIdSc, clearedTransIdSc } = deposit;
  const [own, original] = {
    [DepositStatus.pending]: [pendingTransIdSc, undefined],
    [DepositStatus.cleared]: [clearedTransIdSc, pendingTransIdSc],
    [DepositStatus.returned]: [undefined, clearedTransIdSc],
  }[status];
  const { depositId, amountMinor, channel, chain, asset, txHash } = deposit;
  return renderDeposit({
    transIdSc: own ?? newId("notification"),
    original,
    card: { programId, cardId: account.accountId, cardToken, cardholderId, currency },
    status,
    depositId,
    amountMinor,
    channel,
    chain,
    asset,
    txHash,
    at: timestamp(at),
  });
}
