import { depositFromBank } from "../../shared/domain/deposits/bank-deposit.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * Deposits from a bank account in a Wallet, in minor units.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const depositInWallet: WalletOperations["POST /wallets/{walletId}/bank-deposit"] = ({
  scope,
  path,
  body,
  idempotency,
}) => depositFromBank({ scope, account: { kind: "wallet", accountId: path.walletId }, body, idempotency });
