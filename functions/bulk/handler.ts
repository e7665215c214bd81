import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const operations = () => import("./bulks.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/bulk.ts")).bulkRoutes, {
    "POST /cardholders/bulk": async () => (await operations()).createCardholders,
    "POST /cards/bulk": async () => (await operations()).issueCards,
    "GET /bulk": async () => (await operations()).listBulks,
    "GET /bulk/{bulkId}": async () => (await operations()).viewBulk,
    "GET /bulk/{bulkId}/results": async () => (await operations()).listResults,
  }),
);
