import { listPage } from "../../shared/listing/list-page.ts";
import { issuingKey } from "../../shared/table/keys.ts";
import { getWallet } from "../../shared/wallet/get-wallet.ts";
import { type Transfer, toTransferResponse } from "../../shared/wallet/transfer.ts";
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
  const { pk: partition, sk: prefix } = issuingKey.transfer(scope.programId, path.walletId, "");
  const { transStatus, ...pageQuery } = query;
  const [{ items, total }] = await Promise.all([
    listPage(
      {
        records: { partition, prefix },
        orders: { transferId: "transferId", dateCreated: "createdAt", amount: "requestedAmountMinor" },
        filters: { transStatus },
      },
      pageQuery,
    ),
    getWallet(scope.programId, path.walletId),
  ]);
  return { items: items.map((item) => toTransferResponse(item as unknown as Transfer)), total };
};
