import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { actions } from "../../../functions/deadlines/sweep.ts";
import { sourceFiles } from "../../harness/source-files.ts";

it("the sweep knows what to do at each kind of deadline that a capability declares", () => {
  const declared = sourceFiles("shared")
    .map(({ path }) => readFileSync(path, "utf8"))
    .flatMap((text) => [...text.matchAll(/defineDeadline\(\s*"(\w+)"/g)].map(([, kind]) => kind));
  expect(declared.length).toBeGreaterThan(10);
  expect(Object.keys(actions).toSorted()).toEqual(declared.toSorted());
});
