import { z } from "zod";
import { id, listQuery, positiveAmount, queryEnum, text } from "../../../../shared/contract/primitives.ts";
import { route } from "../../../../shared/contract/route.ts";

/** Routes that hold every kind of field there is, for tests of what stands between the gateway and an operation. */

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

const shared = { api: "platform", function: "wallets", summary: "A probe", errors: [] } as const;
const response = z.object({ value: z.string() });

export const probeRoutes = [
  route({ ...shared, method: "GET", path: "/probes/{walletId}", answer: "detail", response }),
  route({
    ...shared,
    method: "PUT",
    path: "/probes/{walletId}",
    answer: "detail",
    body: probeBody,
    response,
  }),
  route({
    ...shared,
    method: "POST",
    path: "/probes",
    answer: "detail",
    body: probeBody,
    response,
    movesFunds: true,
  }),
  route({
    ...shared,
    method: "POST",
    path: "/probes/{walletId}/act",
    answer: "detail",
    body: z.object({ note: text(10).optional() }),
    response,
    deprecated: "2026-01-01",
  }),
  route({
    ...shared,
    method: "GET",
    path: "/probes",
    answer: "list",
    query: listQuery(
      ["name", "probeId"],
      { orderBy: "name", sort: "desc" },
      {
        status: queryEnum({ off: 0, on: 1 }).optional(),
        cardId: id("card").optional(),
      },
    ),
    response,
  }),
  route({ ...shared, method: "GET", path: "/probes/all", answer: "list", response }),
] as const;

export const [viewProbe, putProbe, postProbe, actOnProbe, listProbes] = probeRoutes;

export const walletId = "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M";
