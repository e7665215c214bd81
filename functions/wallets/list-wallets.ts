import { toWalletView, type Wallet, walletList } from "../../shared/domain/wallets/wallet.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

export const listWallets: WalletOperations["GET /wallets"] = ({ scope }) =>
  listPage(
    {
      records: { list: { programId: scope.programId, kind: walletList } },
      orders: { walletId: "entityId" },
      view: (wallet: Wallet) => toWalletView(wallet),
    },
    { orderBy: "walletId", sort: "asc", limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
