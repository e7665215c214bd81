import { getWallet } from "../../shared/domain/wallets/get-wallet.ts";
import { type Transfer, toTransferResponse } from "../../shared/domain/wallets/transfer.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * The transfers from and to a Wallet, those that were declined included.
 *
 * @throws ApiError NOT_FOUND
 */
export const listTransfers: WalletOperations["GET /wallets/{walletId}/transfers"] = async ({
  scope,
  path,
  query,
}) => {
  const { transStatus, ...pageQuery } = query;
  const [{ items, total }] = await Promise.all([
    listPage(
      {
        records: { programId: scope.programId, owned: "transfers", owner: path.walletId },
        orders: { transferId: "entityId", dateCreated: "createdAt", amount: "requestedAmountMinor" },
        filters: { transStatus },
      },
      pageQuery,
    ),
    getWallet(scope.programId, path.walletId),
  ]);
  return { items: items.map((item) => toTransferResponse(item as unknown as Transfer)), total };
};
