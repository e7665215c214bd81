import { getWallet } from "../../shared/wallet/get-wallet.ts";
import { toWalletView } from "../../shared/wallet/wallet.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * One Wallet with its balances in minor units.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewWallet: WalletOperations["GET /wallets/{walletId}"] = async ({ scope, path }) =>
  toWalletView(await getWallet(scope.programId, path.walletId));
