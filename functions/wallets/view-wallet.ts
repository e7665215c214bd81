import { getWallet, toWalletView } from "../../shared/domain/wallets/wallet.ts";
import type { WalletOperations } from "./operations.ts";

export const viewWallet: WalletOperations["GET /wallets/{walletId}"] = async ({ scope, path }) =>
  toWalletView(await getWallet(scope.programId, path.walletId));
