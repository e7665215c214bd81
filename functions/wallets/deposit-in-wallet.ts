import { depositFromBank } from "../../shared/domain/deposits/bank-deposit.ts";
import type { WalletOperations } from "./operations.ts";

export const depositInWallet: WalletOperations["POST /wallets/{walletId}/bank-deposit"] = ({
  scope,
  path,
  body,
  idempotency,
}) => depositFromBank({ scope, account: { kind: "wallet", accountId: path.walletId }, body, idempotency });
