import path from "node:path";
import type { Plugin } from "esbuild";
import { partNamespace } from "./bundle.ts";
import { buildParts, fileOf, type Part, type Parts, reachedFrom } from "./parts.ts";

/** A file to build: a function's entry, or common parts that belong to the same cold starts. */
interface Unit {
  readonly name: string;
  readonly parts: readonly string[];
}

/** Each function has its own copy of smaller parts. */
const commonFromBytes = 10_000;

/**
 * Builds each function's parts again, joined in few files. Large parts of all functions become
 * files that are built once (`common`).
 */
export async function joinParts(
  parts: Parts,
  folders: readonly string[],
): Promise<{ files: Parts; common: string[] }> {
  const units = commonUnits(parts, folders);
  const files = await buildParts({
    entryPoints: [
      ...units.map(({ name }) => ({ in: `${name}/${fileOf(name)}`, out: name })),
      ...folders.map((name) => ({ in: `${name}/${fileOf(name)}`, out: name })),
    ],
    plugins: [serveParts(parts, units)],
  });
  return { files, common: units.map(({ name }) => fileOf(name)) };
}

/** The large parts of all functions and their imports, grouped by the cold starts with them. */
function commonUnits(parts: Parts, folders: readonly string[]): Unit[] {
  const contents = folders.map((folder) => reachedFrom(parts, [fileOf(folder)]));
  const coldStarts = folders.map((folder) => reachedFrom(parts, [fileOf(folder)], "early"));
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

/** Each unit has its own copies of its parts: only common units are shared. */
function serveParts(parts: Parts, common: readonly Unit[]): Plugin {
  const [entries, forwards] = commonModules(parts, common);
  const sources = new Map([...parts].map(([name, part]) => [name, withMap(part)]));
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
        return { contents: entries.get(part) ?? sources.get(part) ?? "" };
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

/** With its source map, which the second build continues. */
function withMap({ code, map }: Part): string {
  const data = Buffer.from(map).toString("base64");
  return code.replace(/(?<=\n\/\/# sourceMappingURL=).*/, `data:application/json;base64,${data}`);
}
