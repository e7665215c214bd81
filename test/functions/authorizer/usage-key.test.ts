import { describe, expect, it } from "vitest";
import type { CallerContext } from "../../../functions/authorizer/authenticate.ts";
import { getUsageKey } from "../../../functions/authorizer/authorize.ts";
import { type RequestKind, usageKey } from "../../../shared/contract/rate-limits.ts";
import { routes } from "../../../shared/contract/routes.ts";

const programId = "prg_01M7WB63Y8Q5QBZENH6SMZ4NFX";
const tenantId = "tnt_01M7WB63XSBP598NX1KQDG5CX0";
const ofProgram: CallerContext = {
  level: "program",
  tenantId,
  programId,
  currency: "0",
  apiUserId: "usr_01M7WB63XSBP598NX1KQDG5CX0",
};
const ofTenant: CallerContext = { level: "tenant", tenantId, apiUserId: ofProgram.apiUserId };

describe("the usage key", () => {
  it.each(routes.map((route) => ({ ...route, name: `${route.method} ${route.path}` })))(
    "$name is counted as what the contract says",
    ({ method, path, movesFunds }) => {
      const kind: RequestKind = method === "GET" ? "reads" : movesFunds ? "fundsMoves" : "writes";
      const request = { httpMethod: method, resource: path };
      expect(getUsageKey(request, ofProgram)).toBe(usageKey(programId, kind));
      expect(getUsageKey(request, ofTenant)).toBe(usageKey(tenantId, "account"));
    },
  );

  it("of an unknown route is counted too", () => {
    const kindOf = (httpMethod: string) => getUsageKey({ httpMethod, resource: "/{proxy+}" }, ofProgram);
    expect(kindOf("HEAD")).toBe(usageKey(programId, "reads"));
    for (const method of ["PATCH", "OPTIONS", "POST"])
      expect(kindOf(method)).toBe(usageKey(programId, "writes"));
  });

  it("has the form that API Gateway wants", () => {
    for (const kind of ["reads", "writes", "fundsMoves", "account"] as const) {
      expect(usageKey(programId, kind)).toMatch(/^[A-Za-z0-9]{20,128}$/);
    }
  });
});
