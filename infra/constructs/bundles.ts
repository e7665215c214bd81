import { readdirSync } from "node:fs";
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

/**
 * Bundles the functions in `functions/` and the listener, by folder. One build for all reads each
 * package once.
 */
export async function buildBundles({ joined }: BundlingOptions): Promise<ReadonlyMap<string, Bundle>> {
  const functions = readdirSync(path.join(projectRoot, "functions"));
  const entryPoints = [
    ...functions.map((folder) => ({ in: `functions/${folder}/handler.ts`, out: folder })),
    { in: "infra/listener/main.ts", out: "listener" },
  ];
  const folders = entryPoints.map(({ out }) => out);
  const parts = await buildParts({
    entryPoints,
    plugins: joined ? [ownCoreClients] : [],
  });
  const files = joined ? await joinParts(parts, folders) : parts;
  const contents = toContents(files);
  return new Map(
    folders.map((folder) => {
      const names = reachedFrom(files, [toFile(folder)]);
      const fileNames = [...names]
        .filter((name) => files.has(name))
        .flatMap((name) => [name, `${name}.map`])
        .toSorted();
      return [folder, new Map(fileNames.map((name) => named(folder, name, contents.get(name) ?? "")))];
    }),
  );
}

function toContents(files: Parts): Bundle {
  return new Map(
    [...files].flatMap(([name, { code, map }]) => [
      [name, code],
      [`${name}.map`, ownSourceMap(map)],
    ]),
  );
}

/** The function's entry becomes `handler.mjs`. */
function named(folder: string, name: string, text: string): [name: string, text: string] {
  const [entry, handler] = [toFile(folder), toFile("handler")];
  if (name === `${entry}.map`) return [`${handler}.map`, text];
  return name === entry ? [handler, text.replace(`=${entry}.map`, `=${handler}.map`)] : [name, text];
}
