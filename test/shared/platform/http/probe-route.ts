import { z } from "zod";
import { id, listQuery, positiveAmount, queryEnum, text } from "../../../../shared/contract/primitives.ts";
import { routesWith } from "../../../../shared/contract/route.ts";

/** Routes with every kind of field. */

const probeBody = z.object({
  name: text(10),
  amount: positiveAmount,
  kind: z.literal([0, 1]),
  chain: z.enum(["bitcoin", "tron"]).optional(),
  flag: z.boolean().default(false),
  address: z.object({ line1: text(10), line2: text(10).optional() }),
  note: text(10).optional(),
});

/** The least that the body takes. */
export const leastBody = { name: "n", amount: 1, kind: 0, address: { line1: "l" } };

const route = routesWith({ api: "platform", function: "wallets" });
const data = z.object({ value: z.string() });

export const probeRoutes = [
  route("GET /probes/{walletId}", "read viewProbe", "A probe", { data }),
  route("PUT /probes/{walletId}", "write putProbe", "A probe", { body: probeBody, data }),
  route("POST /probes", "money postProbe", "A probe", { body: probeBody, data, movesFunds: true }),
  route("POST /probes/{walletId}/act", "write actOnProbe", "A probe", {
    body: z.object({ note: text(10).optional() }),
    data,
    deprecated: "2026-01-01",
  }),
  route("GET /probes", "read listProbes", "A probe", {
    query: listQuery(
      ["name", "probeId"],
      { status: queryEnum({ off: 0, on: 1 }).optional(), cardId: id("card").optional() },
      { orderBy: "name", sort: "desc" },
    ),
    items: data,
  }),
  route("GET /probes/all", "read listAllProbes", "A probe", { items: data, inPages: "GET /probes" }),
  route("GET /probes/{walletId}/export", "read exportProbe", "A probe", {
    data,
    formats: ["csv", "pdf", "camt053"],
  }),
] as const;

export const [viewProbe, putProbe, postProbe, actOnProbe, listProbes, , exportProbe] = probeRoutes;

export const walletId = "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M";
