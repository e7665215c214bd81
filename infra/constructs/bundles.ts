import { readdirSync } from "node:fs";
import path from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { bundling, ownSourceMap, partNamespace, projectRoot } from "./bundle.ts";

/** Contents by file name. */
export type Bundle = ReadonlyMap<string, string>;

/** Modules that the same entries reach, as one file of the first build. */
interface Part {
  readonly code: string;
  readonly bytes: number;
  readonly exports: readonly string[];
  readonly imports: readonly { readonly part: string; readonly isLate: boolean }[];
}
type Parts = ReadonlyMap<string, Part>;

/** A file to build: a function's entry, or common parts that belong to the same cold starts. */
interface Unit {
  readonly name: string;
  readonly parts: readonly string[];
}

/** Each function has its own copy of smaller parts. */
const commonFromBytes = 20_000;
const outdir = "bundles";
const fileOf = (name: string) => `${name}.mjs`;
const handlerOf = (folder: string) => `${folder}/${fileOf("handler")}`;

/**
 * Bundles all functions in `functions/`, by folder. A first build splits them into parts, and reads
 * each package once. A second one makes each function's files; large parts of all are built once.
 */
export async function buildBundles(): Promise<ReadonlyMap<string, Bundle>> {
  const folders = readdirSync(path.join(projectRoot, "functions"));
  const parts = await buildParts(folders);
  return buildUnits(parts, commonUnits(parts, folders), folders);
}

async function buildParts(folders: readonly string[]): Promise<Parts> {
  const { outputs, texts } = await run({
    entryPoints: folders.map((folder) => `functions/${folder}/handler.ts`),
    outbase: "functions",
    chunkNames: "[hash]/[name]",
    minify: false,
    sourcemap: "inline",
  });
  return new Map(
    [...outputs].map(([name, { exports, imports, inputs }]) => [
      name,
      {
        code: texts.get(name) ?? "",
        bytes: Object.values(inputs).reduce((sum, { bytesInOutput }) => sum + bytesInOutput, 0),
        exports,
        imports: imports
          .filter(({ external }) => !external)
          .map((one) => ({ part: relative(one.path), isLate: one.kind === "dynamic-import" })),
      },
    ]),
  );
}

/** The large parts of all functions and their imports, grouped by the cold starts with them. */
function commonUnits(parts: Parts, folders: readonly string[]): Unit[] {
  const contents = folders.map((folder) => reachedFrom(parts, [handlerOf(folder)]));
  const coldStarts = folders.map((folder) => reachedFrom(parts, [handlerOf(folder)], "early"));
  const large = [...parts].filter(
    ([name, { bytes }]) => bytes >= commonFromBytes && contents.every((all) => all.has(name)),
  );
  const common = reachedFrom(
    parts,
    large.map(([name]) => name),
  );
  const byColdStarts = Map.groupBy([...common].toSorted(), (name) =>
    folders.filter((_, index) => coldStarts[index]?.has(name)).join(),
  );
  return [...byColdStarts.values()].map((names, index) => ({ name: `common-${index}`, parts: names }));
}

function reachedFrom(parts: Parts, starts: readonly string[], which: "early" | "all" = "all"): Set<string> {
  const found = new Set(starts);
  // The loop also visits what it adds.
  for (const name of found) {
    for (const { part, isLate } of parts.get(name)?.imports ?? [])
      if (!isLate || which === "all") found.add(part);
  }
  return found;
}

async function buildUnits(
  parts: Parts,
  common: readonly Unit[],
  folders: readonly string[],
): Promise<Map<string, Bundle>> {
  const { outputs, texts } = await run({
    entryPoints: [
      ...common.map(({ name }) => ({ in: `${name}/${fileOf(name)}`, out: name })),
      ...folders.map((name) => ({ in: `${name}/${handlerOf(name)}`, out: name })),
    ],
    plugins: [serveParts(parts, common)],
  });
  const filesOf = (name: string) => {
    const found = new Set([fileOf(name)]);
    for (const file of found)
      for (const { path: imported, external } of outputs.get(file)?.imports ?? [])
        if (!external) found.add(relative(imported));
    return [...found];
  };
  const withMaps = (names: readonly string[]) => names.flatMap((name) => [name, `${name}.map`]);
  const contentsOf = new Map(
    [...texts].map(([name, text]) => [name, name.endsWith(".map") ? ownSourceMap(text) : text]),
  );
  const shared = common.flatMap(({ name }) => filesOf(name));
  return new Map(
    folders.map((folder) => {
      const files = withMaps([...filesOf(folder), ...shared]).toSorted();
      return [folder, new Map(files.map((name) => named(folder, name, contentsOf.get(name) ?? "")))];
    }),
  );
}

/** The function's entry becomes `handler.mjs`. */
function named(folder: string, name: string, text: string): [name: string, text: string] {
  const [entry, handler] = [fileOf(folder), fileOf("handler")];
  if (name === `${entry}.map`) return [`${handler}.map`, text];
  return name === entry ? [handler, text.replace(`=${entry}.map`, `=${handler}.map`)] : [name, text];
}

/** Each unit has its own copies of its parts: only common units are shared. */
function serveParts(parts: Parts, common: readonly Unit[]): Plugin {
  const [entries, forwards] = commonModules(parts, common);
  return {
    name: "parts",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path: name, importer, kind }) => {
        if (kind === "entry-point") return { path: name, namespace: partNamespace };
        if (!name.startsWith(".") || entries.has(name.slice(2))) return { path: name, external: true };
        return { path: path.posix.join(path.posix.dirname(importer), name), namespace: partNamespace };
      });
      onLoad({ filter: /.*/, namespace: partNamespace }, ({ path: name }) => {
        const [unit = ""] = name.split("/", 1);
        const part = name.slice(unit.length + 1);
        const forward = forwards.get(part);
        if (forward !== undefined && forward.unit !== unit) return { contents: forward.code };
        return { contents: entries.get(part) ?? parts.get(part)?.code ?? "" };
      });
    },
  };
}

type Forwards = ReadonlyMap<string, { readonly unit: string; readonly code: string }>;

/** The entries of common files, and what other units have in place of their parts. */
function commonModules(
  parts: Parts,
  common: readonly Unit[],
): [entries: ReadonlyMap<string, string>, forwards: Forwards] {
  const forwards = new Map<string, { unit: string; code: string }>();
  let exported = 0;
  const entries = common.map(({ name: unit, parts: own }) => {
    const lines = own.map((part) => {
      const names = (parts.get(part)?.exports ?? []).map((name) => {
        exported += 1;
        return [name, `e${exported}`] as const;
      });
      const outside = names.map(([name, alias]) => `${alias} as ${name}`).join();
      forwards.set(part, { unit, code: `export { ${outside} } from "./${fileOf(unit)}";` });
      const inside = names.map(([name, alias]) => `${name} as ${alias}`).join();
      return `import "./${part}"; export { ${inside} } from "./${part}";`;
    });
    return [fileOf(unit), lines.join("\n")] as const;
  });
  return [new Map(entries), forwards];
}

async function run(options: BuildOptions) {
  const { outputFiles, metafile } = await build({
    ...bundling,
    absWorkingDir: projectRoot,
    outdir,
    metafile: true,
    write: false,
    ...options,
  });
  return {
    outputs: new Map(Object.entries(metafile?.outputs ?? {}).map(([name, made]) => [relative(name), made])),
    texts: new Map(
      (outputFiles ?? []).map((file) => [relative(path.relative(projectRoot, file.path)), file.text]),
    ),
  };
}

function relative(output: string): string {
  return path.posix.relative(outdir, output);
}
