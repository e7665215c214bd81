import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const reports = () => import("./reports.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/reports.ts")).reportRoutes, {
    "POST /reports": async () => (await reports()).createReport,
    "GET /reports": async () => (await reports()).listReports,
    "GET /reports/{reportId}": async () => (await reports()).viewReport,
  }),
);
