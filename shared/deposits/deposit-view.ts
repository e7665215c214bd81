import { toDepositReference } from "../contract/creditor-reference.ts";
import { DepositStatus } from "../contract/enums.ts";
import type { DepositView } from "../contract/wallets.ts";
import { pick } from "../platform/pick.ts";
import type { Deposit } from "./deposit.ts";

export const depositDescriptions = {
  bank: "Bank deposit",
  crypto: "Digital-asset deposit",
} as const satisfies Record<Deposit["channel"], string>;

/** A deposit that was never pending settled when it was created. */
export function toDepositView(deposit: Deposit): DepositView {
  const { account, status, settledAt, createdAt } = deposit;
  return {
    ...pick(deposit, "depositId", "channel", "currency", "status", "reference", "expiresAt"),
    ...(account.kind === "card" ? { cardId: account.accountId } : { walletId: account.accountId }),
    ...(deposit.cardId !== undefined && { cardId: deposit.cardId }),
    amount: deposit.amountMinor,
    dateCreated: createdAt,
    dateSettled: status === DepositStatus.pending ? undefined : (settledAt ?? createdAt),
    announcedAmount: deposit.announcedMinor,
    creditorReference: referenceTo(deposit),
  };
}

/** What payers write of one that a client announced. */
export function referenceTo({ depositId, expiresAt }: Pick<Deposit, "depositId" | "expiresAt">) {
  return expiresAt === undefined ? undefined : toDepositReference(depositId);
}
