import { readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../infra/constructs/bundle.ts";
import { type Bundle, buildBundles } from "../../infra/constructs/bundles.ts";
import { outdir } from "../../infra/constructs/parts.ts";

const folders = readdirSync(path.join(projectRoot, "functions"));
const codeOf = (bundle: Bundle) => [...bundle].filter(([name]) => name.endsWith(".mjs"));
const bytesOf = (bundle: Bundle) => codeOf(bundle).reduce((sum, [, code]) => sum + code.length, 0);

/** A font's first bytes: `wOFF`. */
const woffInBase64 = "d09GRg";

/** What is true of all bundles. Returns them, built before the tests. */
export function testBundles(options: { readonly joined: boolean }) {
  let bundles: ReadonlyMap<string, Bundle>;
  beforeAll(async () => {
    bundles = await buildBundles(options);
  });
  const bundleOf = (folder: string) => bundles.get(folder) ?? new Map<string, string>();

  it("exist for each function", () => {
    expect([...bundles.keys()].toSorted()).toEqual([...folders, "listener"].toSorted());
  });

  describe.each(folders)("the bundle of %s", (folder) => {
    it("has the handler, and a source map for each file", () => {
      const bundle = bundleOf(folder);
      expect(bundle.has("handler.mjs")).toBe(true);
      for (const [name, code] of codeOf(bundle)) {
        expect(code.trimEnd().split("\n").at(-1)).toBe(`//# sourceMappingURL=${name}.map`);
        expect(bundle.has(`${name}.map`), name).toBe(true);
      }
    });

    it("has every file that it imports, and no other", () => {
      const bundle = bundleOf(folder);
      const imported = codeOf(bundle).flatMap(([, code]) =>
        [...code.matchAll(/(?:\bfrom|\bimport)\(?"\.\/([^"]+)"/g)].map(([, name = ""]) => name),
      );
      expect([...new Set(["handler.mjs", ...imported])].toSorted()).toEqual(
        codeOf(bundle)
          .map(([name]) => name)
          .toSorted(),
      );
    });

    it("leaves out no package that it imports for certain", () => {
      const imported = codeOf(bundleOf(folder)).flatMap(([, code]) =>
        [...code.matchAll(/(?<=^|[;}\n])(?:import|export)[\w$*{}, ]*"([\w@:./-]+)"/g)].map(
          ([, name = ""]) => name,
        ),
      );
      expect(imported).toContain("node:async_hooks");
      expect(imported.filter((name) => !name.startsWith("./") && !isBuiltin(name))).toEqual([]);
    });

    it("has each of our modules in one file, so that none has its state twice", () => {
      const maps = [...bundleOf(folder)].filter(([name]) => name.endsWith(".map"));
      const sources = maps
        .flatMap(([, map]) => (JSON.parse(map) as { sources: string[] }).sources)
        .map((source) => path.relative(projectRoot, path.resolve(projectRoot, outdir, source)));
      expect(sources).toContain(`functions/${folder}/handler.ts`);
      // The package saxes has a source map of its own, whose sources are in `src`.
      expect(sources.filter((source) => !/^(functions|shared)\/|(^|\/)src\//.test(source))).toEqual([]);
      expect(sources.filter((source, index) => sources.indexOf(source) !== index)).toEqual([]);
    });
  });

  if (options.joined)
    it("let a cold start read at most four files", () => {
      for (const [folder, bundle] of bundles) {
        const read = new Set(["handler.mjs"]);
        for (const name of read)
          for (const [, imported = ""] of (bundle.get(name) ?? "").matchAll(
            /(?:\bfrom|\bimport)"\.\/([^"]+)"/g,
          ))
            read.add(imported);
        expect(read.size, folder).toBeLessThanOrEqual(4);
      }
    });

  it("are at most 2 MB each, and their fonts 3 MB, which a statement's first character reads", () => {
    for (const [folder, bundle] of bundles) {
      const fonts = new Map([...bundle].filter(([, contents]) => contents.includes(`"${woffInBase64}`)));
      const code = new Map([...bundle].filter(([name]) => !fonts.has(name)));
      expect(bytesOf(code), folder).toBeLessThan(2_000_000);
      expect(bytesOf(fonts), folder).toBeLessThan(3_000_000);
      expect(fonts.size > 0, folder).toBe(folder === "statements" || folder === "background-jobs");
    }
  });

  it("contain what several need as the same files", () => {
    const [wallets, cards] = [bundleOf("wallets"), bundleOf("cards")];
    const shared = [...wallets].filter(
      ([name]) => cards.has(name) && name !== "handler.mjs" && name !== "handler.mjs.map",
    );
    expect(bytesOf(new Map(shared))).toBeGreaterThan(200_000);
    for (const [name, contents] of shared) expect(cards.get(name) === contents, name).toBe(true);
  });
  return { bundles: () => bundles };
}
