import { SourceMap } from "node:module";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { bundling } from "../../infra/bundling.ts";
import { ownSourceMap } from "../../infra/own-source-map.ts";

const own =
  'import { unmarshall } from "@aws-sdk/util-dynamodb";\nexport const read = (item: any) => [unmarshall(item), "our own line"];';
const { outputFiles } = buildSync({
  ...bundling,
  stdin: { contents: own, loader: "ts", sourcefile: "own.ts", resolveDir: import.meta.dirname },
  outdir: "bundles",
});
const [{ text: whole } = { text: "" }] = outputFiles.filter(({ path }) => path.endsWith(".map"));
const [{ text: code } = { text: "" }] = outputFiles.filter(({ path }) => path.endsWith(".mjs"));

/** Where the map says that a piece of the bundle comes from. */
function sourceOf(map: string, piece: string): { source?: string; line?: number } {
  const before = code.slice(0, code.indexOf(piece)).split("\n");
  const entry = new SourceMap(JSON.parse(map)).findEntry(before.length - 1, before.at(-1)?.length ?? 0);
  return "originalSource" in entry ? { source: entry.originalSource, line: entry.originalLine } : {};
}

it("our own lines are found, those of packages pass for nobody's", () => {
  const packages = "Unsupported type passed";
  expect(code).toContain(packages);
  expect(sourceOf(whole, packages).source).toContain("node_modules/");
  expect(sourceOf(ownSourceMap(whole), packages).source).toBeUndefined();
  const place = sourceOf(ownSourceMap(whole), '"our own line"');
  expect(place).toEqual(sourceOf(whole, '"our own line"'));
  expect(place).toEqual({ source: expect.stringMatching(/own\.ts$/), line: 1 });
});

it("the map holds nothing of packages", () => {
  const map = ownSourceMap(whole);
  expect(JSON.parse(map).sources).toEqual([expect.stringMatching(/own\.ts$/)]);
  expect(map.length).toBeLessThan(whole.length / 10);
});
