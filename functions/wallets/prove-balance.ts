import { proveBalances } from "../../shared/domain/proofs/prove-balances.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * Proves a Wallet's balances from its journal, both sides of each identity, in minor units.
 *
 * @throws ApiError NOT_FOUND
 */
export const proveBalance: WalletOperations["GET /wallets/{walletId}/balance/proof"] = async ({
  scope,
  path,
}) => {
  const { walletId } = path;
  return { walletId, ...(await proveBalances(scope.programId, { kind: "wallet", accountId: walletId })) };
};
