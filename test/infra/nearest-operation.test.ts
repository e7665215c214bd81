import { describe, expect, test } from "vitest";
import { describeUnknown } from "../../infra/commands/api/nearest-operation.ts";
import { routes } from "../../shared/contract/routes.ts";

const cardId = "crd_00000000000000000000000001";

describe("the nearest operation", () => {
  test.each([
    ["GET", `/cadrs/${cardId}`, "GET /cards/{cardId}"],
    ["GET", `/cards/${cardId}/balnce`, "GET /cards/{cardId}/balance"],
    ["GET", "/cards/transactons?limit=5", "GET /cards/transactions"],
    ["GET", "/v2/wallets", "GET /wallets"],
    ["GET", "/wallets/", "GET /wallets"],
    ["POST", "/wallets/tranfer", "POST /wallets/transfer"],
    ["DELETE", "/wallets", "GET /wallets"],
    ["POST", `/sandbox/card/${cardId}/authorization`, "POST /sandbox/cards/{cardId}/authorizations"],
  ])("of %s %s is %s", (method, path, nearest) => {
    expect(describeUnknown(method, path)).toMatch(/^There is no operation .*\. Did you mean /);
    expect(describeUnknown(method, path)).toContain(` Did you mean ${nearest}?`);
  });

  test.each(["/", "/nothing", "/nothing/at/all/of/it"])("of %s is none", (path) => {
    expect(describeUnknown("GET", path)).toBe(`There is no operation GET ${path}.`);
  });

  test("is not named where there is one, so that its record is missing", () => {
    for (const { api, method, path } of routes) {
      const place = api === "sandbox" ? `/sandbox${path}` : path;
      expect(describeUnknown(method, place.replaceAll(/\{\w+\}/g, cardId)), place).toBeUndefined();
    }
    expect(describeUnknown("GET", "/cards/x/balance")).toBeUndefined();
  });
});
