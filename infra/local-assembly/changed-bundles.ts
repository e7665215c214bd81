import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { buildUnjoined, findEntryPoints, type LateBundle } from "../constructs/bundles.ts";

/** What a function's bundle was made of. Without a hash, a file of it is not watched. */
interface Origin {
  readonly sources: readonly string[];
  readonly hash?: string | undefined;
}

/** By the function's folder. */
export type Origins = Readonly<Record<string, Origin>>;

/** Written beside the bundles. */
export interface WrittenBundles {
  /** The directory's name. */
  readonly directory: string;
  readonly origins: Origins;
}

/** Any change of these makes all bundles anew. */
const ofAll = ["package-lock.json", "tsconfig.json", "infra/constructs"];
const watched = [...ofAll, "functions", "shared", "infra/listener"];

/** Builds the functions whose sources are not those of `before`: all of them take three seconds. */
export async function buildChanged(
  project: string,
  before: Origins,
): Promise<{ readonly bundles: ReadonlyMap<string, LateBundle>; readonly origins: Origins }> {
  // Read before the compiler reads them: what is edited meanwhile is built again.
  const hashes = new Map(watched.flatMap((name) => hashFiles(project, name)));
  const common = [...hashes].filter(([file]) => ofAll.some((name) => file.startsWith(name)));
  const hashSources = (sources: readonly string[]): string | undefined => {
    const hash = createHash("sha256").update(JSON.stringify(common));
    for (const source of sources) {
      const known = hashes.get(source);
      if (known === undefined) return undefined;
      hash.update(`${source}\0${known}`);
    }
    return hash.digest("hex");
  };
  const folders = findEntryPoints(project).map(({ out }) => out);
  const isSame = ({ sources, hash }: Origin) => hash !== undefined && hash === hashSources(sources);
  const kept = folders.flatMap((folder) => {
    const origin = before[folder];
    return origin && isSame(origin) ? [[folder, origin] as const] : [];
  });
  const same = new Set(kept.map(([folder]) => folder));
  const built = await buildUnjoined(
    project,
    folders.filter((folder) => !same.has(folder)),
  );
  const made = [...built].map(([folder, { sources }]) => [folder, { sources, hash: hashSources(sources) }]);
  return {
    bundles: new Map([...built].map(([folder, { bundle }]) => [folder, bundle])),
    origins: Object.fromEntries([...kept, ...made]),
  };
}

function hashFiles(project: string, name: string): [string, string][] {
  const file = path.join(project, name);
  if (!existsSync(file)) return [];
  if (statSync(file).isDirectory())
    return readdirSync(file).flatMap((entry) => hashFiles(project, `${name}/${entry}`));
  return [[name, createHash("sha256").update(readFileSync(file)).digest("hex")]];
}

export const writtenFile = (assembly: string) => path.join(assembly, "bundles.json");

/** What the last synthesis has written: without one, nothing. */
export function readWritten(assembly: string): WrittenBundles {
  const file = writtenFile(assembly);
  const nothing = { directory: "none", origins: {} };
  const written: WrittenBundles = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : nothing;
  return existsSync(path.join(assembly, written.directory)) ? written : nothing;
}
