import { maximumReportSchedules } from "../../shared/contract/reports.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError, limitReached } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  newSchedule,
  type ReportSchedule,
  reportSchedules,
  scheduleDeletes,
  schedulePuts,
  toScheduleView,
} from "../../shared/reports/schedule.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/** @throws ApiError LIMIT_REACHED */
export const createSchedule: Operations["POST /report-schedules"] = async ({
  scope: { programId, currency },
  body: { kind: reportKind, ...asked },
}) => {
  const schedule = newSchedule(
    { programId, currency, reportKind, ...asked },
    await getProgram(programId),
    now(),
  );
  const outcome = await transact(schedulePuts(schedule));
  if (!outcome.committed) {
    if (outcome.failedConditions.has("scheduleCount"))
      throw limitReached(maximumReportSchedules, "report schedules");
    throw new Error("The id of a new schedule is taken.");
  }
  return toScheduleView(schedule);
};

export const listSchedules: Operations["GET /report-schedules"] = ({ scope: { programId }, query }) =>
  listPage<ReturnType<typeof toScheduleView>, ReportSchedule>(
    {
      records: reportSchedules.records(programId),
      view: toScheduleView,
    },
    query,
  );

export const viewSchedule: Operations["GET /report-schedules/{scheduleId}"] = async ({
  scope: { programId },
  path: { scheduleId },
}) => toScheduleView(await reportSchedules.at(programId, scheduleId).require());

/** Reports that it has made stay. */
export const deleteSchedule: Operations["DELETE /report-schedules/{scheduleId}"] = async ({
  scope: { programId },
  path: { scheduleId },
}) => {
  const outcome = await transact(scheduleDeletes(programId, scheduleId));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return { scheduleId };
};
