import { DepositStatus } from "../../contract/enums.ts";
import type { DepositView } from "../../contract/wallets.ts";
import type { Deposit } from "./deposit.ts";

/** The deposit as it is answered. One that was never pending settled as it was created. */
export function toDepositView(deposit: Deposit): DepositView {
  const { account, status, settledAt, createdAt } = deposit;
  return {
    depositId: deposit.depositId,
    ...(account.kind === "card" ? { cardId: account.accountId } : { walletId: account.accountId }),
    channel: deposit.channel,
    amount: deposit.amountMinor,
    currency: deposit.currency,
    status,
    reference: deposit.reference,
    dateCreated: createdAt,
    dateSettled: status === DepositStatus.pending ? undefined : (settledAt ?? createdAt),
  };
}
