import { SourceMap } from "node:module";
import { encode } from "@jridgewell/sourcemap-codec";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { bundling, ownSourceMap } from "../../infra/constructs/bundle.ts";

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

it("our own lines are mapped, and lines of packages are not", () => {
  const packages = "Unsupported type passed";
  expect(code).toContain(packages);
  expect(sourceOf(whole, packages).source).toContain("node_modules/");
  expect(sourceOf(ownSourceMap(whole), packages).source).toBeUndefined();
  const place = sourceOf(ownSourceMap(whole), '"our own line"');
  expect(place).toEqual(sourceOf(whole, '"our own line"'));
  expect(place).toEqual({ source: expect.stringMatching(/own\.ts$/), line: 1 });
});

it("the map contains nothing of packages", () => {
  const map = ownSourceMap(whole);
  expect(JSON.parse(map).sources).toEqual([expect.stringMatching(/own\.ts$/)]);
  expect(map.length).toBeLessThan(whole.length / 10);
});

it("a package's code after ours is not mapped to ours", () => {
  const mappings = encode([
    [
      [0, 0, 4, 2, 1],
      [10, 1, 0, 0, 0],
      [15, 1, 1, 0],
      [20, 0, 5, 0],
    ],
  ]);
  const sources = ["own.ts", "node_modules/package/of-others.js"];
  const map = ownSourceMap(JSON.stringify({ version: 3, sources, names: ["theirs", "ours"], mappings }));
  const found = [0, 12, 17, 25].map((column) => new SourceMap(JSON.parse(map)).findEntry(0, column));
  const lines = found.map((entry) => ("originalLine" in entry ? entry.originalLine : undefined));
  expect(lines).toEqual([4, undefined, undefined, 5]);
  expect(found[0]).toMatchObject({ originalSource: "own.ts", originalColumn: 2, name: "ours" });
});
