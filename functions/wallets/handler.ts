import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const wallets = () => withHotWallets(import("./wallets.ts"));
const transactions = () => withHotWallets(import("./transactions.ts"));
const transfers = () => import("./transfers.ts");
const deposits = () => withHotWallets(import("./deposits.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/wallets.ts")).walletRoutes, {
    "GET /wallets": async () => (await wallets()).listWallets,
    "POST /wallets": async () => (await wallets()).createWallet,
    "GET /wallets/{walletId}": async () => (await wallets()).viewWallet,
    "PUT /wallets/{walletId}": async () => (await wallets()).updateWallet,
    "GET /wallets/{walletId}/balance/proof": async () => (await transactions()).proveBalance,
    "GET /wallets/{walletId}/transfers": async () => (await transactions()).listTransfers,
    "GET /wallets/{walletId}/transactions": async () => (await transactions()).listWalletTransactions,
    "POST /wallets/transfer": async () => {
      const [{ transferWith }, { recordOnCard }] = await Promise.all([
        withHotWallets(import("./transfer.ts")),
        import("../../shared/wallets/card-movement.ts"),
      ]);
      return transferWith(recordOnCard);
    },
    "POST /wallets/{walletId}/bank-deposit": async () => (await deposits()).depositInWallet,
    "POST /wallets/{walletId}/deposit": async () => (await deposits()).notifyDeposit,
  }),
  routeGroup(async () => (await import("../../shared/contract/wallets.ts")).transferRoutes, {
    "GET /wallets/search": async () => (await wallets()).searchWallets,
    "GET /transfers": async () => (await transfers()).listAllTransfers,
    "GET /transfers/{transferId}": async () => (await transfers()).viewTransfer,
    "PUT /transfers/{transferId}": async () => (await transfers()).updateTransfer,
  }),
  routeGroup(async () => (await import("../../shared/contract/wallets.ts")).depositRoutes, {
    "GET /deposits": async () => (await deposits()).listDeposits,
    "GET /deposits/{depositId}": async () => (await deposits()).viewDeposit,
    "POST /deposits/{depositId}/cancel": async () => (await deposits()).cancelDeposit,
  }),
);
