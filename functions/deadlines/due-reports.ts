import { now, timestamp } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { pick } from "../../shared/platform/pick.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  beginPut,
  endReport,
  isGivenUp,
  newReport,
  nextCheck,
  openReports,
  reportPuts,
  reports,
  reportsAtWork,
} from "../../shared/reports/report.ts";
import { nextSpan, reportSchedules, toDueAt } from "../../shared/reports/schedule.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/**
 * A report that does not get further has failed, and so has one that no job takes: the next one of
 * its kind begins. One that waits for others is only looked at again.
 */
export async function checkReport(deadline: DueDeadline): Promise<boolean> {
  const { ownerId: programId, deadlineId: reportId } = deadline;
  const report = await reports.at(programId, reportId).get();
  if (report?.status !== "running") return false;
  const at = now();
  const atWork = await reportsAtWork.at(programId, report.reportKind).get();
  const isStuck = atWork?.reportId === reportId && report.runsUntil <= timestamp(at);
  if (isStuck || (!atWork && isGivenUp(report))) {
    await endReport(report, { status: "failed" }, at);
    return true;
  }
  const [first] = await openReports.first(1, programId, report.reportKind);
  if (atWork || first?.reportId !== reportId) {
    await transact([deadlineClaim(deadline, nextCheck(at))]);
    return true;
  }
  const asked = (report.asked ?? 0) + 1;
  await transact([
    reports.at(programId, reportId).update({ set: { asked } }, { status: "running" }),
    deadlineClaim(deadline, nextCheck(at, asked)),
    beginPut(report, at),
  ]);
  return true;
}

/** Begins the report of a span that is over, once. The next one may be over too: it is due then. */
export async function makeDueReport(deadline: DueDeadline): Promise<boolean> {
  const { ownerId: programId, deadlineId: scheduleId } = deadline;
  const schedules = reportSchedules.at(programId, scheduleId);
  const [schedule, program] = await Promise.all([schedules.get(), getProgram(programId)]);
  if (!schedule) return false;
  const at = now();
  const { every, next: span } = schedule;
  const { from, until: to, timeZone } = span;
  const asked = {
    programId,
    scheduleId,
    ...pick(schedule, "currency", "reportKind", "format"),
    ...{ from, to, timeZone, asOf: timestamp(at) },
  };
  const next = nextSpan(program, every, span);
  await transact([
    ...reportPuts(newReport(asked, at), at),
    schedules.update({ set: { next } }, { "next.until": to }),
    deadlineClaim(deadline, toDueAt(next)),
  ]);
  return true;
}
