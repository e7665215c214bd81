import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/settlements.ts")).settlementRoutes, {
    "GET /settlements/{date}": async () => (await import("./view-settlement.ts")).viewSettlement,
  }),
);
