import path from "node:path";
import type { BuildOptions } from "esbuild";

export const projectRoot = path.resolve(import.meta.dirname, "../..");

const entryFile = "handler.ts";

/** Dynamic imports become separate files, which a cold start does not load. */
export const bundling = {
  outExtension: { ".js": ".mjs" },
  // File names derive from paths and must be equal on every machine.
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

export const bundleOf = (folder: string) => ({
  ...bundling,
  absWorkingDir: projectRoot,
  entryPoints: [path.join("functions", folder, entryFile)],
  outdir: path.join("bundles", folder),
});
