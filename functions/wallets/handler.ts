import { walletRoutes } from "../../shared/contract/wallets.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { bankDeposit } from "./bank-deposit.ts";
import { createWallet } from "./create-wallet.ts";
import { listTransfers } from "./list-transfers.ts";
import { listWallets } from "./list-wallets.ts";
import { notifyDeposit } from "./notify-deposit.ts";
import { proveBalance } from "./prove-balance.ts";
import { transfer } from "./transfer.ts";
import { viewWallet } from "./view-wallet.ts";

export const handler = apiHandler(walletRoutes, {
  "GET /wallets": listWallets,
  "POST /wallets": createWallet,
  "GET /wallets/{walletId}": viewWallet,
  "GET /wallets/{walletId}/balance/proof": proveBalance,
  "GET /wallets/{walletId}/transfers": listTransfers,
  "POST /wallets/transfer": transfer,
  "POST /wallets/{walletId}/bank-deposit": bankDeposit,
  "POST /wallets/{walletId}/deposit": notifyDeposit,
});
