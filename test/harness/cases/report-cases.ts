import { type EndpointCases, type Preparation, unknownId } from "./case.ts";

const body = { kind: "fees", format: "csv", from: "2026-11-01", to: "2026-11-02" };

const asked: Preparation = async (program) => {
  const { body: answer } = await program.call("POST /reports", { body });
  return { path: { reportId: answer.data.reportId } };
};

export const reportCases: readonly EndpointCases[] = [
  {
    route: "POST /reports",
    success: async () => ({ body }),
    refusals: {
      VALIDATION_FAILED: async () => ({ body: { ...body, to: body.from } }),
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
];
