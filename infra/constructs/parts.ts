import { readFile } from "node:fs/promises";
import path from "node:path";
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin } from "esbuild";
import { bundling, projectRoot } from "./bundle.ts";

/** A file of a build: the modules that the same entries reach. */
export interface Part {
  readonly code: string;
  readonly map: string;
  readonly bytes: number;
  readonly exports: readonly string[];
  readonly imports: readonly { readonly part: string; readonly isLate: boolean }[];
  /** The project's files that an entry imports, and so on, with itself. */
  sources(): string[];
}

/** By file name. */
export type Parts = ReadonlyMap<string, Part>;

/** Never written: as deep as local bundles are, so that paths in their source maps are right. */
export const outdir = "cdk.out/local/bundles/function";
export const toFile = (name: string) => `${name}.mjs`;

export async function buildParts(options: BuildOptions): Promise<Parts> {
  return toParts(await build(withDefaults(options)));
}

function withDefaults(options: BuildOptions) {
  const own = { outdir, metafile: true, write: false } as const;
  const plugins = [fontFiles, ...(options.plugins ?? [])];
  return { ...bundling, absWorkingDir: projectRoot, ...options, plugins, ...own };
}

function toParts({ outputFiles, metafile }: BuildResult<ReturnType<typeof withDefaults>>): Parts {
  const texts = new Map(outputFiles.map((file) => [path.basename(file.path), file.text]));
  const parts = new Map<string, Part>();
  for (const [output, { exports, imports, inputs, entryPoint }] of Object.entries(metafile.outputs)) {
    const name = path.basename(output);
    if (name.endsWith(".map")) continue;
    parts.set(name, {
      code: texts.get(name) ?? "",
      map: texts.get(`${name}.map`) ?? "",
      bytes: Object.values(inputs).reduce((sum, { bytesInOutput }) => sum + bytesInOutput, 0),
      exports,
      imports: imports
        .filter(({ external, path: imported }) => !external || imported.startsWith("./"))
        .map((one) => ({ part: path.basename(one.path), isLate: one.kind === "dynamic-import" })),
      sources: () => (entryPoint === undefined ? [] : listSources(entryPoint, metafile.inputs)),
    });
  }
  return parts;
}

function listSources(entryPoint: string, inputs: Metafile["inputs"]): string[] {
  const found = new Set([entryPoint]);
  // The loop also visits what it adds.
  for (const file of found)
    for (const imported of inputs[file]?.imports ?? [])
      if (!imported.external && !imported.path.includes("node_modules/")) found.add(imported.path);
  return [...found].toSorted();
}

/** These parts, what they import, and so on; "early" leaves out what they import dynamically. */
export function reachedFrom(
  parts: Parts,
  starts: Iterable<string>,
  which: "early" | "all" = "all",
): Set<string> {
  const found = new Set(starts);
  // The loop also visits what it adds.
  for (const name of found)
    for (const { part, isLate } of parts.get(name)?.imports ?? [])
      if (!isLate || which === "all") found.add(part);
  return found;
}

/**
 * Puts the fonts of PDFs into the bundles: a file for each, which the first character that needs it
 * imports.
 */
const fontFiles: Plugin = {
  name: "font-files",
  setup({ onLoad }) {
    onLoad({ filter: /statements\/formats\/fonts\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const contents = text.replaceAll(
        /readFont\(("[^"]+\.woff")\)/g,
        'import($1).then((file) => Buffer.from(file.default, "base64"))',
      );
      return { contents, loader: "ts", resolveDir: path.dirname(file) };
    });
  },
};
