import { type WalletTransaction, walletTransactionList } from "../../shared/domain/ledger/journal-entry.ts";
import { getWallet } from "../../shared/domain/wallets/wallet.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

/** Signed minor units that add up to the ledger balance. */
export const listWalletTransactions: WalletOperations["GET /wallets/{walletId}/transactions"] = async ({
  scope: { programId },
  path: { walletId },
  query,
}) => {
  const [page] = await Promise.all([
    listPage(
      {
        records: { list: { programId, kind: walletTransactionList, owner: walletId } },
        orders: {
          dateCreated: "createdAt",
          walletTransactionId: "entityId",
          amount: "amountMinor",
          type: "type",
        },
        filters: { type: query.type },
        view: toWalletTransactionView,
      },
      query,
    ),
    getWallet(programId, walletId),
  ]);
  return page;
};

function toWalletTransactionView(transaction: WalletTransaction) {
  return {
    walletTransactionId: transaction.entityId,
    type: transaction.type,
    amount: transaction.amountMinor,
    relatedId: transaction.relatedId,
    description: transaction.description,
    dateCreated: transaction.createdAt,
  };
}
