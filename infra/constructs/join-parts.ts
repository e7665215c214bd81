import path from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin } from "esbuild";
import { partNamespace } from "./bundle.ts";
import { buildParts, type Part, type Parts, reachedFrom, toFile } from "./parts.ts";

/** Parts that become one file. Other files import them from it. */
interface Unit {
  readonly name: string;
  /** Its file beside the others. */
  readonly file: string;
  readonly parts: ReadonlySet<string>;
}

/** What only one function's bundle has. */
interface OwnParts {
  /** What its cold start loads. */
  readonly early: Unit;
  /** What it imports dynamically and has not loaded before: a file each. */
  readonly late: readonly string[];
}

/** Smaller parts are copied into each function, unless a common part imports them. */
const commonFromBytes = 10_000;

const lateUnit = (folder: string) => `${folder}-late`;
const lateFile = (folder: string, part: string) => `${folder}-${part}`;
const handlerFile = toFile("handler");

/**
 * Builds each function's parts again, joined in few files: a cold start loads one, beside large
 * parts of all functions, which are built once.
 */
export function joinParts(parts: Parts, folders: readonly string[]): Promise<Parts> {
  const common = commonUnits(parts, folders);
  const inCommon = new Set(common.flatMap((unit) => [...unit.parts]));
  const own = new Map(folders.map((folder) => [folder, ownParts(parts, folder, inCommon)]));
  return buildParts({
    entryPoints: [
      ...common.map(({ name }) => ({ in: `${name}/${toFile(name)}`, out: name })),
      ...[...own].flatMap(([folder, { late }]) => [
        { in: `${folder}/${handlerFile}`, out: folder },
        ...late.map((part) => ({
          in: `${lateUnit(folder)}/${part}`,
          out: path.parse(lateFile(folder, part)).name,
        })),
      ]),
    ],
    plugins: [serveParts(parts, common, own)],
  });
}

/** The large parts of all functions and their imports, grouped by the cold starts with them. */
function commonUnits(parts: Parts, folders: readonly string[]): Unit[] {
  const reachable = folders.map((folder) => reachedFrom(parts, [toFile(folder)]));
  const coldStarts = folders.map((folder) => reachedFrom(parts, [toFile(folder)], "early"));
  const large = [...parts].filter(
    ([name, { bytes }]) => bytes >= commonFromBytes && reachable.every((all) => all.has(name)),
  );
  const common = reachedFrom(
    parts,
    large.map(([name]) => name),
  );
  const byColdStarts = Map.groupBy([...common].toSorted(), (name) =>
    folders.filter((_, index) => coldStarts[index]?.has(name)).join(),
  );
  return [...byColdStarts.values()].map((names, index) => {
    const name = `common-${index}`;
    return { name, file: toFile(name), parts: new Set(names) };
  });
}

function ownParts(parts: Parts, folder: string, inCommon: ReadonlySet<string>): OwnParts {
  const coldStart = reachedFrom(parts, [toFile(folder)], "early");
  const isOwn = (part: string) => !inCommon.has(part);
  const imports = [...reachedFrom(parts, [toFile(folder)])].flatMap((name) => parts.get(name)?.imports ?? []);
  const late = new Set(imports.filter(({ isLate }) => isLate).map(({ part }) => part));
  return {
    early: { name: folder, file: handlerFile, parts: new Set([...coldStart].filter(isOwn)) },
    late: [...late].filter((part) => isOwn(part) && !coldStart.has(part)).toSorted(),
  };
}

/**
 * Gives the second build its modules, named `<unit>/<part>`. In place of another file's part, a
 * module imports from that file.
 */
function serveParts(parts: Parts, common: readonly Unit[], own: ReadonlyMap<string, OwnParts>): Plugin {
  const aliases = aliasExports(parts);
  const commonByPart = new Map(
    common.flatMap((unit) => [...unit.parts].map((part) => [part, unit] as const)),
  );
  const sharedFiles = new Set([handlerFile, ...common.map(({ file }) => file)]);
  const entries = new Map<string, string>([
    ...common.map((unit) => [`${unit.name}/${unit.file}`, writeEntry(unit, aliases)] as const),
    ...[...own].map(
      ([folder, { early }]) =>
        [
          `${folder}/${handlerFile}`,
          `${writeEntry(early, aliases)}\nexport { handler } from "./${toFile(folder)}";`,
        ] as const,
    ),
  ]);
  const sources = new Map([...parts].map(([name, part]) => [name, withMap(part)]));
  const earlyByLateUnit = new Map([...own].map(([folder, { early }]) => [lateUnit(folder), early]));
  return {
    name: "parts",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path: name, importer, kind }: OnResolveArgs): OnResolveResult => {
        if (kind === "entry-point") return { path: name, namespace: partNamespace };
        const part = name.slice("./".length);
        if (!name.startsWith("./") || sharedFiles.has(part)) return { path: name, external: true };
        const unit = path.posix.dirname(importer);
        const folder = own.get(unit);
        if (folder && !folder.early.parts.has(part) && !commonByPart.has(part))
          return { path: `./${lateFile(unit, part)}`, external: true };
        return { path: `${unit}/${part}`, namespace: partNamespace };
      });
      onLoad({ filter: /.*/, namespace: partNamespace }, ({ path: name }) => {
        const entry = entries.get(name);
        if (entry !== undefined) return { contents: entry };
        const [unit, part] = [path.posix.dirname(name), path.posix.basename(name)];
        const early = earlyByLateUnit.get(unit);
        const owner = commonByPart.get(part) ?? (early?.parts.has(part) ? early : undefined);
        if (owner && owner.name !== unit) return { contents: forwardTo(owner, part, aliases) };
        return { contents: sources.get(part) ?? "" };
      });
    },
  };
}

type Aliases = ReadonlyMap<string, readonly (readonly [name: string, alias: string])[]>;

/** Names for each part's exports that differ from those of all others. */
function aliasExports(parts: Parts): Aliases {
  let count = 0;
  const aliased = (name: string) => {
    count += 1;
    return [name, `e${count}`] as const;
  };
  return new Map([...parts].map(([part, { exports }]) => [part, exports.map(aliased)]));
}

function writeEntry(unit: Unit, aliases: Aliases): string {
  const lines = [...unit.parts].map((part) => {
    const names = (aliases.get(part) ?? []).map(([name, alias]) => `${name} as ${alias}`);
    return `import "./${part}"; export { ${names.join()} } from "./${part}";`;
  });
  return lines.join("\n");
}

/** What other units have in place of the unit's part. */
function forwardTo({ file }: Unit, part: string, aliases: Aliases): string {
  const names = (aliases.get(part) ?? []).map(([name, alias]) => `${alias} as ${name}`);
  return `export { ${names.join()} } from "./${file}";`;
}

/** Keeps its source map, which the second build continues. */
function withMap({ code, map }: Part): string {
  const data = Buffer.from(map).toString("base64");
  return code.replace(/(?<=\n\/\/# sourceMappingURL=).*\s*$/, `data:application/json;base64,${data}`);
}
