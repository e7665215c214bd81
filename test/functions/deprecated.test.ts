import { describe, expect, it } from "vitest";
import { contractCases } from "../harness/cases/cases.ts";
import { givenProgram } from "../harness/given-cards.ts";
import { storedItems } from "../harness/stored.ts";

const deprecated = contractCases().filter(({ route, code }) => route.deprecated && code === "OK");

describe("what is deprecated answers 200, says so in its headers, and does nothing", () => {
  it.for(deprecated.map((one) => [`${one.route.method} ${one.route.path}` as const, one] as const))(
    "%s",
    async ([place, { prepare }]) => {
      const program = await givenProgram();
      const request = await prepare(program);
      const before = await storedItems(program.programId);
      const { status, body, headers } = await program.call(place, request);
      expect([status, body]).toEqual([200, { status: "success", data: {} }]);
      expect(headers.Deprecation).toMatch(/^@\d+$/);
      expect(headers.Link).toContain('rel="deprecation"');
      expect(await storedItems(program.programId)).toEqual(before);
    },
  );

  it("is not nothing", () => expect(deprecated.length).toBeGreaterThan(2));
});
