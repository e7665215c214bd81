import { compareWebhooks } from "../../shared/notifications/delivery/compare-webhooks.ts";
import { monotonicMs, now, timestamp } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { reconcile } from "../../shared/settlements/reconcile.ts";
import {
  isRunning,
  type NewReport,
  reportPut,
  reports,
  toReportView,
  unpackTally,
} from "../../shared/settlements/report.ts";
import { newTally } from "../../shared/settlements/tally.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";
import { programDay } from "../../shared/tenancy/programs/program-days.ts";

/** What is not done within it goes on in the background. */
const withinRequestMs = 3_000;
/** A long report is not made again at every request. */
const freshMs = 10 * 60_000;

/** Most days are reconciled within the request, and nothing is stored. */
export const viewSettlement: Operations["GET /settlements/{date}"] = async ({ scope, path, format }) => {
  const { programId, currency } = scope;
  const { date } = path;
  const [settlement, program] = await Promise.all([
    findSettlement({ programId, currency, date }, withinRequestMs),
    format === "json" ? undefined : getProgram(programId),
  ]);
  if (format === "json") return settlement;
  const { toPage } = await import("./page.ts");
  return { document: toPage(settlement, program?.name ?? programId), fileName: `settlement-${date}.html` };
};

type Asked = Pick<NewReport, "programId" | "currency" | "date">;

export async function findSettlement(asked: Asked, timeMs: number) {
  const { programId, date } = asked;
  const [program, stored] = await Promise.all([getProgram(programId), reports.at(programId, date).get()]);
  const at = now();
  const isFresh = stored?.isDone && Date.parse(stored.startedAt) > at.getTime() - freshMs;
  if (stored && (isFresh || isRunning(stored, at)))
    return toReportView(stored, unpackTally(stored), stored.isDone ? "done" : "running");
  const { timeZone, from: start, until: end } = programDay(program, date);
  const day = { ...asked, start, end };
  const tally = newTally();
  await reconcile(day, tally, compareWebhooks, monotonicMs() + timeMs);
  const span = { start: timestamp(start), end: timestamp(end) };
  const report = { ...asked, ...span, timeZone, runId: newId("event"), startedAt: timestamp(at) };
  if (tally.phase === "done") return toReportView(report, tally, "done");
  const { runId } = report;
  const requested = outboxPut(programId, "settlement.requested", { date, runId }, at);
  const { committed } = await transact([reportPut(report, tally, now()), requested]);
  if (committed) return toReportView(report, tally, "running");
  // Another request was faster.
  const other = await reports.at(programId, date).require();
  return toReportView(other, unpackTally(other), other.isDone ? "done" : "running");
}
