import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/wallets.ts")).walletRoutes, {
    "GET /wallets": async () => (await import("./list-wallets.ts")).listWallets,
    "POST /wallets": async () => (await import("./create-wallet.ts")).createWallet,
    "GET /wallets/{walletId}": async () => (await import("./view-wallet.ts")).viewWallet,
    "GET /wallets/{walletId}/balance/proof": async () => (await import("./prove-balance.ts")).proveBalance,
    "GET /wallets/{walletId}/transfers": async () => (await import("./list-transfers.ts")).listTransfers,
    "GET /wallets/{walletId}/transactions": async () =>
      (await import("./list-wallet-transactions.ts")).listWalletTransactions,
    "POST /wallets/transfer": async () => (await import("./transfer.ts")).transfer,
    "POST /wallets/{walletId}/bank-deposit": async () =>
      (await import("./deposit-in-wallet.ts")).depositInWallet,
    "POST /wallets/{walletId}/deposit": async () => (await import("./notify-deposit.ts")).notifyDeposit,
  }),
  endpoints(async () => (await import("../../shared/contract/wallets.ts")).depositRoutes, {
    "GET /deposits": async () => (await import("./list-deposits.ts")).listDeposits,
    "GET /deposits/{depositId}": async () => (await import("./view-deposit.ts")).viewDeposit,
  }),
);
