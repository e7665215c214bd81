import { describe, expect, it } from "vitest";
import { listProbes, viewProbe } from "./probe-route.ts";
import { validated } from "./validation.ts";

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

  it("ignores undeclared parameters, whatever their names", () => {
    for (const name of ["programId", "constructor", "toString", "hasOwnProperty", "__proto__", "limit[]"]) {
      expect(list({ [name]: ["a", "b"] }).status, name).toBe(200);
    }
    expect(validated(viewProbe, { query: { limit: "x" } }).status).toBe(200);
  });
});
