import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const reports = () => import("./reports.ts");
const schedules = () => import("./schedules.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/reports.ts")).reportRoutes, {
    "POST /reports": async () => (await reports()).createReport,
    "GET /reports": async () => (await reports()).listReports,
    "GET /reports/{reportId}": async () => (await reports()).viewReport,
    "POST /report-schedules": async () => (await schedules()).createSchedule,
    "GET /report-schedules": async () => (await schedules()).listSchedules,
    "GET /report-schedules/{scheduleId}": async () => (await schedules()).viewSchedule,
    "DELETE /report-schedules/{scheduleId}": async () => (await schedules()).deleteSchedule,
    "GET /volumes": async () => (await import("./volumes.ts")).viewVolumes,
  }),
);
