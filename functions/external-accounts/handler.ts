import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const accounts = () => withHotWallets(import("./accounts.ts"));
const verify = () => withHotWallets(import("./verify.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/external-accounts.ts")).externalAccountRoutes, {
    "POST /external-accounts": async () => (await import("./create.ts")).createExternalAccount,
    "POST /external-accounts/{externalAccountId}/verification": async () =>
      (await verify()).startVerification,
    "POST /external-accounts/{externalAccountId}/verification/confirm": async () =>
      (await verify()).confirmVerification,
    "GET /external-accounts": async () => (await accounts()).listExternalAccounts,
    "GET /external-accounts/{externalAccountId}": async () => (await accounts()).viewExternalAccount,
    "DELETE /external-accounts/{externalAccountId}": async () => (await accounts()).deleteExternalAccount,
  }),
);
