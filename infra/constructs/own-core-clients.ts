import { readFile } from "node:fs/promises";
import path from "node:path";
import type { OnLoadArgs, OnResolveArgs, Plugin } from "esbuild";
import { projectRoot } from "./bundle.ts";

/** They speak REST and XML, which no cold start needs. */
const clients = /^@aws-sdk\/(client-(api-gateway|lambda|s3|sesv2)|s3-request-presigner)$/;
const ofTheSdk = /^node_modules\/@(aws-sdk|smithy)\//;
const namespace = "own-core";

/**
 * Gives these clients copies of what they import from the SDK. Without this, every function would
 * load what only they use of its core: esbuild never splits a file.
 */
export const ownCoreClients: Plugin = {
  name: "own-core-clients",
  setup({ onResolve, onLoad, resolve }) {
    const resolveCopy = async ({ path: name, resolveDir, kind, pluginData }: OnResolveArgs) => {
      if (pluginData === namespace) return undefined;
      const importer = path.join(resolveDir, "importer");
      const found = await resolve(name, { resolveDir, importer, kind, pluginData: namespace });
      const relative = path.relative(projectRoot, found.path);
      if (found.external || !ofTheSdk.test(relative)) return { ...found, pluginData: undefined };
      return { ...found, path: relative, namespace, pluginData: undefined };
    };
    onResolve({ filter: clients }, resolveCopy);
    onResolve({ filter: /.*/, namespace }, resolveCopy);
    onLoad({ filter: /.*/, namespace }, async ({ path: relative }: OnLoadArgs) => {
      const file = path.join(projectRoot, relative);
      const contents = await readFile(file, "utf8");
      return { contents, loader: file.endsWith(".json") ? "json" : "js", resolveDir: path.dirname(file) };
    });
  },
};
