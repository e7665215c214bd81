import path from "node:path";
import type { BuildOptions } from "esbuild";

export const projectRoot = path.resolve(import.meta.dirname, "../..");

/** The handler's file in a function's folder. */
const entryFile = "handler.ts";

/**
 * How functions are bundled. Code that is imported when it is needed (`import()`) has files of its own, which a cold start does not read:
 * most of a function's schemas and operations, and the clients that few invocations call.
 */
export const bundling = {
  outExtension: { ".js": ".mjs" },
  // Names of files follow from paths, and must be the same on every machine.
  preserveSymlinks: true,
  splitting: true,
  write: false,
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  mainFields: ["module", "main"],
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** A function's bundle, in a folder of the function's name. */
export const bundleOf = (folder: string) => ({
  ...bundling,
  absWorkingDir: projectRoot,
  entryPoints: [path.join("functions", folder, entryFile)],
  outdir: path.join("bundles", folder),
});
