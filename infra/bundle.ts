import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";

const projectRoot = path.resolve(import.meta.dirname, "..");

/** The handler's file in a function's folder, and its bundle's in the asset. */
const entryFile = "handler.ts";
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
          const files = bundles().filter((file) => path.basename(path.dirname(file.path)) === folder);
          if (files.length === 0) throw new Error(`functions/${folder}/${entryFile} does not exist.`);
          mkdirSync(outputDirectory, { recursive: true });
          for (const file of files) {
            writeFileSync(path.join(outputDirectory, path.basename(file.path)), file.contents);
          }
          return true;
        },
      },
    },
  });
}

let outputFiles: ReturnType<typeof buildAll> | undefined;

/** The output files of all functions, each function's in a folder of its name. */
function bundles() {
  outputFiles ??= buildAll();
  return outputFiles;
}

function buildAll() {
  return readdirSync(path.join(projectRoot, "functions"), { recursive: true, encoding: "utf8" })
    .filter((file) => path.basename(file) === entryFile)
    .flatMap((file) => buildFunction(path.dirname(file)));
}

/** What a function imports only when it needs it (the curves of deposit addresses, say) stays a file of its own, so that a cold start does not read it. */
function buildFunction(folder: string) {
  return buildSync({
    absWorkingDir: projectRoot,
    entryPoints: [path.join("functions", folder, entryFile)],
    outdir: path.join("bundles", folder),
    outExtension: { ".js": ".mjs" },
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
  }).outputFiles;
}
