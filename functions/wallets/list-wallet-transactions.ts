import type { WalletTransaction } from "../../shared/domain/ledger/wallet-transaction.ts";
import { getWallet } from "../../shared/domain/wallets/get-wallet.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * Everything that changed a Wallet's ledger balance, in signed minor units that add up to it.
 *
 * @throws ApiError NOT_FOUND
 */
export const listWalletTransactions: WalletOperations["GET /wallets/{walletId}/transactions"] = async ({
  scope,
  path,
  query,
}) => {
  const { programId } = scope;
  const { type, ...pageQuery } = query;
  const [{ items, total }] = await Promise.all([
    listPage(
      {
        records: { programId, owned: "walletTransactions", owner: path.walletId },
        orders: {
          dateCreated: "createdAt",
          walletTransactionId: "entityId",
          amount: "amountMinor",
          type: "type",
        },
        filters: { type },
      },
      pageQuery,
    ),
    getWallet(programId, path.walletId),
  ]);
  return { items: (items as unknown as WalletTransaction[]).map(toWalletTransactionView), total };
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
