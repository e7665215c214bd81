import { maximumReportSchedules } from "../../../shared/contract/reports.ts";
import {
  after,
  again,
  called,
  created,
  type EndpointCases,
  newCard,
  type Preparation,
  unknownId,
} from "./case.ts";

const report = { kind: "fees", format: "csv", from: "2026-11-01", to: "2026-11-02" };
const asking: Preparation = async () => ({ body: report });
const asked = created("POST /reports", asking, "reportId");

const days = { from: "2026-11-01", to: "2027-11-30" };
const every = { kind: "transactions", format: "jsonl", every: "month" };

/** One that is there already: the case of the limit leaves no room for another. */
const scheduled: Preparation = async (program) => {
  await program.call("POST /report-schedules", { body: every });
  const { body: list } = await program.call("GET /report-schedules");
  return { path: { scheduleId: list.items[0].scheduleId } };
};

/** A day that is long over. */
const path = { date: "2026-11-20" };

export const reportCases: EndpointCases = {
  "POST /reports": [
    asking,
    {
      VALIDATION_FAILED: { body: { ...report, to: report.from } },
      NOT_FOUND: { body: { ...report, cardId: unknownId("crd") } },
    },
  ],
  "GET /reports": after(asked, { query: { kind: "fees", status: "running" } }),
  "GET /reports/{reportId}": [asked, { NOT_FOUND: { path: { reportId: unknownId("rpt") } } }],
  "POST /report-schedules": [{ body: every }, { LIMIT_REACHED: again(maximumReportSchedules) }],
  "GET /report-schedules": after(scheduled, {}),
  "GET /report-schedules/{scheduleId}": scheduled,
  "DELETE /report-schedules/{scheduleId}": scheduled,
  "GET /volumes": [
    after(called("POST /cards/{cardId}/bank-deposit", newCard, { amount: 10_000 }), {
      query: { ...days, groupBy: "day,mcc,status" },
    }),
    {
      VALIDATION_FAILED: { query: { ...days, groupBy: "week" } },
      NOT_ACCEPTABLE: { query: days, headers: { Accept: "image/png" } },
    },
  ],
  "GET /ledger/{date}": [
    { path },
    {
      DAY_NOT_CLOSED: { path: { date: "2099-12-31" } },
      NOT_ACCEPTABLE: { path, headers: { Accept: "image/png" } },
      VALIDATION_FAILED: { path, query: { format: "pdf" } },
    },
  ],
};
