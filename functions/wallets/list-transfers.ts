import { type Transfer, toTransferResponse, transferList } from "../../shared/domain/wallets/transfer.ts";
import { getWallet } from "../../shared/domain/wallets/wallet.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

/** Includes declined transfers. */
export const listTransfers: WalletOperations["GET /wallets/{walletId}/transfers"] = async ({
  scope: { programId },
  path: { walletId },
  query,
}) => {
  const [page] = await Promise.all([
    listPage(
      {
        records: { list: { programId, kind: transferList, owner: walletId } },
        orders: { transferId: "entityId", dateCreated: "createdAt", amount: "requestedAmountMinor" },
        filters: { transStatus: query.transStatus },
        view: (transfer: Transfer) => toTransferResponse(transfer),
      },
      query,
    ),
    getWallet(programId, walletId),
  ]);
  return page;
};
