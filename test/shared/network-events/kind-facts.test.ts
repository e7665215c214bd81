import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { kindFacts } from "../../../shared/network-events/card-event.ts";
import { sourceFiles } from "../../harness/source-files.ts";

it("what is true of some kinds of events stands with the kind, in no list of kinds elsewhere", () => {
  const shipped = ["functions", "shared", "infra"].flatMap((folder) => sourceFiles(folder));
  const others = shipped.filter(({ path }) => !path.startsWith("shared/contract/"));
  const listed = others.flatMap(({ path }) => {
    const lists = readFileSync(path, "utf8").matchAll(/\[\s*"\w+"(?:,\s*"\w+")+,?\s*\]/g);
    const named = Array.from(lists, ([list]) => list.match(/\w+/g) ?? []);
    return named.filter((kinds) => kinds.every((kind) => kind in kindFacts)).map((kinds) => [path, ...kinds]);
  });
  expect(others.length).toBeGreaterThan(800);
  expect(listed).toEqual([]);
});
