import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/settlements.ts")).settlementRoutes, {
    "GET /settlements/{date}": async () =>
      (await withHotWallets(import("./view-settlement.ts"))).viewSettlement,
  }),
);
