import { toWalletView, type Wallet } from "../../shared/domain/wallets/wallet.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

/** All the Program's Wallets, in the order of their creation. */
export const listWallets: WalletOperations["GET /wallets"] = async ({ scope }) => {
  const { items, total } = await listPage(
    {
      records: { programId: scope.programId, collection: "wallets" },
      orders: { walletId: "entityId" },
      filters: {},
    },
    { orderBy: "walletId", sort: "asc", limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  return { items: items.map((item) => toWalletView(item as unknown as Wallet)), total };
};
