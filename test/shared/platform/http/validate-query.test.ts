import { describe, expect, it } from "vitest";
import { pathParameterNames, type Route } from "../../../../shared/contract/route.ts";
import { routes } from "../../../../shared/contract/routes.ts";
import type { ApiError } from "../../../../shared/platform/http/api-error.ts";
import { validateRequest } from "../../../../shared/platform/http/serve-request.ts";
import { apiEvent } from "../../../harness/api-event.ts";
import { exportProbe, listProbes, postProbe, viewProbe, walletId } from "./probe-route.ts";
import { pathValues, validated } from "./validation.ts";

const list = (query: Record<string, string | string[]>) => validated(listProbes, { query });

describe("a request's query", () => {
  it("has the declared defaults", () => {
    expect(list({})).toMatchObject({
      status: 200,
      query: { orderBy: "name", sort: "desc", limit: 50, offset: 0 },
    });
  });

  it("arrives as numbers if the schema declares numbers", () => {
    expect(
      list({ limit: "200", offset: "400", status: "1", before: "1795161600", after: "0" }),
    ).toMatchObject({
      query: { limit: 200, offset: 400, status: 1, before: 1_795_161_600, after: 0 },
    });
  });

  it.each([
    ["limit", "0"],
    ["limit", "-1"],
    ["limit", "201"],
    ["limit", "1.5"],
    ["limit", "1e2"],
    ["limit", "0x10"],
    ["limit", "ten"],
    ["limit", ""],
    ["limit", " 5"],
    ["limit", "99999999999999999999"],
    ["limit", "NaN"],
    ["limit", "٣"],
    ["offset", "-1"],
    ["offset", "0.5"],
    ["status", "2"],
    ["status", "-1"],
    ["status", "one"],
    ["status", "1,0"],
    ["orderBy", "Name"],
    ["orderBy", "__proto__"],
    ["sort", "up"],
    ["sort", "DESC"],
    ["before", "2026-01-01"],
    ["before", "-5"],
    ["after", "1.5"],
    ["cardId", "crd_1"],
  ])("422: %s=%s", (name, value) => {
    const { status, faults } = list({ [name]: value });
    expect(status).toBe(422);
    expect(faults).toEqual([expect.stringMatching(`^query\\.${name} `)]);
  });

  it("422: lists every fault", () => {
    expect(list({ limit: "x", offset: "-1", sort: "up", status: "9", before: "then" }).faults).toHaveLength(
      5,
    );
  });

  it("422: a parameter that is given twice, even with one value", () => {
    expect(list({ limit: ["5", "5"] })).toEqual({ status: 422, faults: ["query.limit repeated"] });
  });

  it.each([
    "programId",
    "Limit",
    "cardID",
    "limit ",
    "limit[]",
    "format",
    "",
    "constructor",
    "toString",
    "hasOwnProperty",
    "__proto__",
  ])("422: %j is no parameter of the list", (name) => {
    const query = JSON.parse(`{${JSON.stringify(name)}: ["a", "b"]}`);
    expect(list(query)).toEqual({ status: 422, faults: [`query.${name} unknown_parameter`] });
    expect(list({ limit: "0", ...query }).faults).toHaveLength(2);
  });

  it("422: names what the endpoint takes instead, also where it takes nothing", () => {
    const messageOf = (route: Route, name: string) => {
      const event = apiEvent({ route: "GET /probes", path: { walletId }, query: { [name]: "x" } });
      try {
        validateRequest(route, event);
      } catch (error) {
        return (error as ApiError).faults.map(({ message }) => message);
      }
    };
    expect(messageOf(listProbes, "cardid")).toEqual([
      "is not a parameter of this endpoint, which takes after, before, cardId, limit, offset, orderBy, sort, status",
    ]);
    expect(messageOf(exportProbe, "fromat")).toEqual([
      "is not a parameter of this endpoint, which takes format",
    ]);
    for (const route of [viewProbe, postProbe])
      expect(messageOf(route, "limit")).toContain("is not a parameter of this endpoint, which takes none");
  });

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "422: %s takes no undeclared parameter",
    (_, route) => {
      const path = Object.fromEntries(
        pathParameterNames(route.path).map((name) => [name, pathValues[name] ?? walletId]),
      );
      const { status, faults } = validated(route, { path, query: { statsu: "1" } });
      expect(faults).toContain("query.statsu unknown_parameter");
      // A body that is missing beside it is 400.
      expect([400, 422]).toContain(status);
    },
  );
});
