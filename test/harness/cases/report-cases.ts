import { maximumReportSchedules } from "../../../shared/contract/reports.ts";
import { givenCard } from "../given-cards.ts";
import { type EndpointCases, type Preparation, unknownId } from "./case.ts";

const body = { kind: "fees", format: "csv", from: "2026-11-01", to: "2026-11-02" };

const asked: Preparation = async (program) => {
  const { body: answer } = await program.call("POST /reports", { body });
  return { path: { reportId: answer.data.reportId } };
};

const days = { from: "2026-11-01", to: "2027-11-30" };
const every = { kind: "transactions", format: "jsonl", every: "month" };

/** One that is there already: the case of the limit leaves no room for another. */
const scheduled: Preparation = async (program) => {
  await program.call("POST /report-schedules", { body: every });
  const { body: list } = await program.call("GET /report-schedules");
  return { path: { scheduleId: list.items[0].scheduleId } };
};

export const reportCases: readonly EndpointCases[] = [
  {
    route: "POST /reports",
    success: async () => ({ body }),
    refusals: {
      VALIDATION_FAILED: async () => ({ body: { ...body, to: body.from } }),
      NOT_FOUND: async () => ({ body: { ...body, cardId: unknownId("crd") } }),
    },
  },
  {
    route: "GET /reports",
    success: async (program) => {
      await asked(program);
      return { query: { kind: "fees", status: "running" } };
    },
  },
  {
    route: "GET /reports/{reportId}",
    success: asked,
    refusals: { NOT_FOUND: async () => ({ path: { reportId: unknownId("rpt") } }) },
  },
  {
    route: "POST /report-schedules",
    success: async () => ({ body: every }),
    refusals: {
      LIMIT_REACHED: async (program) => {
        for (let count = 0; count < maximumReportSchedules; count += 1) {
          await program.call("POST /report-schedules", { body: every });
        }
        return { body: every };
      },
    },
  },
  {
    route: "GET /report-schedules",
    success: async (program) => {
      await scheduled(program);
      return {};
    },
  },
  { route: "GET /report-schedules/{scheduleId}", success: scheduled },
  { route: "DELETE /report-schedules/{scheduleId}", success: scheduled },
  {
    route: "GET /volumes",
    success: async (program) => {
      const { cardId } = await givenCard(program);
      const path = { cardId };
      await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 10_000 } });
      return { query: { ...days, groupBy: "day,mcc,status" } };
    },
    refusals: {
      VALIDATION_FAILED: async () => ({ query: { ...days, groupBy: "week" } }),
      NOT_ACCEPTABLE: async () => ({ query: days, headers: { Accept: "image/png" } }),
    },
  },
];
