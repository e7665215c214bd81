import { now, timestamp } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  beginNextReport,
  endReport,
  nextCheck,
  reports,
  reportsAtWork,
} from "../../shared/reports/report.ts";

/** A report that does not get further has failed: the next one of its kind begins. */
export async function checkReport(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId, deadlineId: reportId } = deadline;
  const report = await reports.at(programId, reportId).get();
  if (report?.status !== "running") {
    await transact([deadlineClaim(deadline, undefined)]);
    return;
  }
  const at = now();
  const atWork = await reportsAtWork.at(programId, report.reportKind).get();
  if (atWork?.reportId === reportId && report.runsUntil <= timestamp(at)) {
    await endReport(report, { status: "failed" }, at);
    return;
  }
  await beginNextReport(programId, report.reportKind, at);
  await transact([deadlineClaim(deadline, nextCheck(at))]);
}
