import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/ledger.ts")).ledgerRoutes, {
    "GET /ledger/{date}": async () => (await import("./export-books.ts")).exportBooks,
  }),
);
