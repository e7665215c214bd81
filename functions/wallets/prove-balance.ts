import { proveBalances } from "../../shared/domain/proofs/prove-balances.ts";
import type { WalletOperations } from "./operations.ts";

export const proveBalance: WalletOperations["GET /wallets/{walletId}/balance/proof"] = async ({
  scope,
  path,
}) => {
  const { walletId } = path;
  return { walletId, ...(await proveBalances(scope.programId, { kind: "wallet", accountId: walletId })) };
};
