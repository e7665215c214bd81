import { getWallet } from "../../shared/domain/wallets/wallet.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * Deprecated: blockchain deposits are detected without it. Moves nothing.
 * @throws ApiError NOT_FOUND
 */
export const notifyDeposit: WalletOperations["POST /wallets/{walletId}/deposit"] = async ({
  scope,
  path,
}) => {
  await getWallet(scope.programId, path.walletId);
  return {};
};
