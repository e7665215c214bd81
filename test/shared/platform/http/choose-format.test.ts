import { describe, expect, it } from "vitest";
import { exportProbe, viewProbe } from "./probe-route.ts";
import { validated } from "./validation.ts";

const format = (accept?: string, query: Record<string, string | string[]> = {}) => {
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
  const { status, faults, ...found } = validated(exportProbe, { headers, query });
  return status === 200 ? (found as { format?: string }).format : [status, ...faults].join(" ");
};

describe("the format of an answer", () => {
  it.each([
    ["*/*", "json"],
    ["", "json"],
    ["application/json", "json"],
    ["text/csv", "csv"],
    ["TEXT/CSV; charset=utf-8", "csv"],
    ["text/*", "csv"],
    ["application/pdf", "pdf"],
    ["text/csv;q=0.2, application/xml;q=0.9, */*;q=0.1", "camt053"],
    ["text/html, application/xml;q=0.9, */*;q=0.8", "camt053"],
    ["application/json;q=0, */*", "csv"],
    ["application/*", "json"],
    ["image/png", "406"],
    ["text/csv;q=0", "406"],
    ["text/html, application/pdf", "pdf"],
  ])("Accept: %s gives %s", (accept, expected) => {
    expect(format(accept)).toBe(expected);
  });

  it("is the one in the query, whatever else is accepted", () => {
    expect(format("application/json", { format: "csv" })).toBe("csv");
    expect(format("image/png", { format: "json" })).toBe("json");
  });

  it("in the query must be one of the endpoint's, given once", () => {
    expect(format(undefined, { format: "hledger" })).toBe("422 query.format invalid_value");
    expect(format(undefined, { format: ["csv", "csv"] })).toBe("422 query.format repeated");
  });

  it("is JSON where the endpoint has no other, whatever is accepted", () => {
    expect(validated(viewProbe, { headers: { Accept: "text/csv" } }).status).toBe(200);
    expect(validated(viewProbe, { query: { format: "csv" } }).faults).toEqual([
      "query.format unknown_parameter",
    ]);
  });
});
