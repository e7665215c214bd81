import { writeFileSync } from "node:fs";
import path from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import { bundleOf, projectRoot } from "./bundle-options.ts";
import { ownSourceMap } from "./own-source-map.ts";

/** The handler's file in the asset, and what it exports. */
export const handler = "handler.handler";

/**
 * A function's bundle: one minified ES module with the SDK inside, which loads in a fifth of the time that CommonJS takes.
 * It is CDK's own local bundling, so that a synthesis that skips bundling (a test) skips it.
 */
export function bundledCode(folder: string): Code {
  return Code.fromAsset(projectRoot, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never run: CDK tells the functions' bundles apart by the command, since it cannot look into `tryBundle`.
      image: DockerImage.fromRegistry("none"),
      command: [folder],
      local: {
        tryBundle(outputDirectory) {
          for (const [name, contents] of filesOf(folder)) {
            writeFileSync(path.join(outputDirectory, name), contents);
          }
          return true;
        },
      },
    },
  });
}

const built = new Map<string, ReadonlyMap<string, string | Uint8Array>>();

/** The files of a function's bundle by their names, made once: they are the same in every environment. */
function filesOf(folder: string): ReadonlyMap<string, string | Uint8Array> {
  const known = built.get(folder);
  if (known) return known;
  const { outputFiles } = buildSync(bundleOf(folder));
  const files = new Map(
    outputFiles.map((file) => [
      path.basename(file.path),
      file.path.endsWith(".map") ? ownSourceMap(file.text) : file.contents,
    ]),
  );
  built.set(folder, files);
  return files;
}
