import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ownSourceMap, projectRoot } from "./bundle.ts";
import { joinParts } from "./join-parts.ts";
import { ownCoreClients } from "./own-core-clients.ts";
import { buildParts, type Parts, reachedFrom, toFile } from "./parts.ts";

/** Contents by file name. */
export type Bundle = ReadonlyMap<string, string>;

interface BundlingOptions {
  /** Deployments want it: cold starts read few and small files, bundling takes much longer. */
  readonly joined: boolean;
}

/** The same, each made when it is asked for: source maps take a while. */
export type LateBundle = ReadonlyMap<string, () => string>;

/**
 * Bundles the functions in `functions/` and the listener, by folder. One build for all reads each
 * package once.
 */
export async function buildBundles({ joined }: BundlingOptions): Promise<ReadonlyMap<string, Bundle>> {
  const entryPoints = findEntryPoints(projectRoot);
  const folders = entryPoints.map(({ out }) => out);
  const parts = await buildParts({ entryPoints, plugins: joined ? [ownCoreClients] : [] });
  const bundles = toBundles(joined ? await joinParts(parts, folders) : parts, folders);
  const made = (bundle: LateBundle) => new Map([...bundle].map(([name, make]) => [name, make()]));
  return new Map([...bundles].map(([folder, bundle]) => [folder, made(bundle)]));
}

export interface UnjoinedBundle {
  readonly bundle: LateBundle;
  /** The project's files that it is made of. */
  readonly sources: readonly string[];
}

/** The bundles of some folders, as one build. */
export async function buildUnjoined(
  project: string,
  folders: readonly string[],
): Promise<ReadonlyMap<string, UnjoinedBundle>> {
  const entryPoints = findEntryPoints(project).filter(({ out }) => folders.includes(out));
  const parts = await buildParts({ entryPoints, absWorkingDir: project, logLevel: "silent" });
  const bundles = [...toBundles(parts, folders)];
  return new Map(
    bundles.map(([folder, bundle]) => [
      folder,
      { bundle, sources: parts.get(toFile(folder))?.sources() ?? [] },
    ]),
  );
}

export function findEntryPoints(project: string): { in: string; out: string }[] {
  const functions = readdirSync(path.join(project, "functions"));
  return [
    ...functions.map((folder) => ({ in: `functions/${folder}/handler.ts`, out: folder })),
    { in: "infra/listener/main.ts", out: "listener" },
  ];
}

function toBundles(files: Parts, folders: readonly string[]): ReadonlyMap<string, LateBundle> {
  const maps = new Map<string, string>();
  const mapOf = (name: string, map: string) => {
    const made = maps.get(name) ?? ownSourceMap(map);
    maps.set(name, made);
    return made;
  };
  return new Map(
    folders.map((folder) => {
      const parts = [...reachedFrom(files, [toFile(folder)])].flatMap((name) => {
        const part = files.get(name);
        return part ? [{ name, ...part }] : [];
      });
      const contents = parts.flatMap(({ name, code, map }): [string, () => string][] => [
        [toOwnName(folder, name), () => (name === toFile(folder) ? namedEntry(folder, code) : code)],
        [`${toOwnName(folder, name)}.map`, () => mapOf(name, map)],
      ]);
      return [folder, new Map(contents.toSorted(([one], [other]) => (one < other ? -1 : 1)))];
    }),
  );
}

/** The function's entry becomes `handler.mjs`. */
const entryFile = toFile("handler");

function toOwnName(folder: string, name: string): string {
  return name === toFile(folder) ? entryFile : name;
}

function namedEntry(folder: string, code: string): string {
  return code.replace(`=${toFile(folder)}.map`, `=${entryFile}.map`);
}

/** Files by their names, of bundles that are written. */
export type WrittenFiles = Map<string, string>;

export function findWritten(bundles: string): WrittenFiles {
  const written: WrittenFiles = new Map();
  for (const folder of existsSync(bundles) ? readdirSync(bundles) : [])
    for (const name of readdirSync(path.join(bundles, folder)))
      written.set(name, path.join(bundles, folder, name));
  return written;
}

/**
 * Names of all files but the entry contain a hash of their content: those that are written already
 * are linked.
 */
export function writeBundle(directory: string, bundle: LateBundle, written: WrittenFiles): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, make] of bundle) {
    const file = path.join(directory, name);
    const known = name.startsWith(entryFile) ? undefined : written.get(name);
    if (known === undefined) writeFileSync(file, make());
    else linkSync(known, file);
    written.set(name, known ?? file);
  }
}

/** Whether the directory has just this bundle. */
export function isWritten(directory: string, bundle: LateBundle): boolean {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return (
    names.length === bundle.size &&
    names.every((name) => bundle.has(name)) &&
    readFileSync(path.join(directory, entryFile), "utf8") === bundle.get(entryFile)?.()
  );
}
