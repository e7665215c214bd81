import type { EndpointCases } from "./case.ts";

/** A day that is long over. */
const path = { date: "2026-11-20" };

export const ledgerCases: readonly EndpointCases[] = [
  {
    route: "GET /ledger/{date}",
    success: async () => ({ path }),
    refusals: {
      DAY_NOT_CLOSED: async () => ({ path: { date: "2099-12-31" } }),
      NOT_ACCEPTABLE: async () => ({ path, headers: { Accept: "image/png" } }),
      VALIDATION_FAILED: async () => ({ path, query: { format: "pdf" } }),
    },
  },
];
