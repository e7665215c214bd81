import { cardholders } from "../../shared/cardholders/cardholder.ts";
import { cards } from "../../shared/cards/card.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError, missing } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { defined } from "../../shared/platform/pick.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  newReport,
  type Report,
  reportList,
  reportPuts,
  reports,
  toReportItem,
  toReportView,
} from "../../shared/reports/report.ts";
import { toSpan } from "../../shared/reports/span.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/**
 * It is made in the background.
 * @throws ApiError NOT_FOUND for a Card or a Cardholder that the Program does not have
 */
export const createReport: Operations["POST /reports"] = async ({
  scope: { programId, currency },
  body: { kind: reportKind, format, cardId, cardholderId, ...asked },
}) => {
  const at = now();
  const { timeZone } = (await getProgram(programId)).settings;
  const span = toSpan(asked, timeZone, at, "body");
  await requireSubjects(programId, cardId, cardholderId);
  const ofCards = defined({ cardId, cardholderId });
  const asOf = timestamp(at);
  const report = newReport(
    { programId, currency, reportKind, format, ...span, timeZone, asOf, ...ofCards },
    at,
  );
  await transact(reportPuts(report, at));
  return toReportView(report, at);
};

async function requireSubjects(
  programId: string,
  cardId: string | undefined,
  cardholderId: string | undefined,
): Promise<void> {
  const [card, cardholder] = await Promise.all([
    cardId === undefined || cards.at(programId, cardId).get(),
    cardholderId === undefined || cardholders.at(programId, cardholderId).get(),
  ]);
  const faults = missing({ cardId: card, cardholderId: cardholder });
  if (faults.length > 0) throw new ApiError("NOT_FOUND", faults);
}

export const viewReport: Operations["GET /reports/{reportId}"] = async ({
  scope: { programId },
  path: { reportId },
}) => toReportView(await reports.at(programId, reportId).require(), now());

export const listReports: Operations["GET /reports"] = ({ scope: { programId }, query }) => {
  const { kind: reportKind, status, scheduleId } = query;
  return listPage<ReturnType<typeof toReportItem>, Report>(
    {
      records: { list: { programId, kind: reportList } },
      orders: { reportId: "entityId" },
      filters: { reportKind, status, scheduleId },
      view: toReportItem,
    },
    query,
  );
};
