import type { Deposit } from "../../shared/domain/deposits/deposit.ts";
import { accountDepositList, depositList } from "../../shared/domain/deposits/deposit-lists.ts";
import { toDepositView } from "../../shared/domain/deposits/deposit-view.ts";
import { isWalletId } from "../../shared/domain/ledger/journal-entry.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

export const listDeposits: WalletOperations["GET /deposits"] = async ({ scope: { programId }, query }) => {
  const { walletId, cardId, status, channel } = query;
  if (!canMatch(walletId, cardId)) return { items: [], total: 0 };
  const owner = walletId ?? cardId;
  return listPage(
    {
      records: { list: { programId, owner, kind: owner === undefined ? depositList : accountDepositList } },
      orders: {
        dateCreated: "createdAt",
        depositId: "entityId",
        amount: "amountMinor",
        status: "status",
      },
      filters: { status, channel },
      view: (deposit: Deposit) => toDepositView(deposit),
    },
    query,
  );
};

/** A deposit has a Wallet or a Card, never both. */
function canMatch(walletId: string | undefined, cardId: string | undefined): boolean {
  if (walletId !== undefined) return cardId === undefined && isWalletId(walletId);
  return cardId === undefined || !isWalletId(cardId);
}
