import { writeFileSync } from "node:fs";
import path from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { projectRoot } from "./bundle.ts";
import { bundleOf } from "./start-bundling.ts";

export const handler = "handler.handler";

/**
 * A function's minified ES modules, with the SDK. They load five times faster than CommonJS. CDK's
 * local bundling lets tests skip it.
 */
export function bundledCode(folder: string): Code {
  return Code.fromAsset(projectRoot, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: CDK identifies bundles by the command.
      image: DockerImage.fromRegistry("none"),
      command: [folder],
      local: {
        tryBundle(outputDirectory) {
          for (const [name, contents] of bundleOf(folder)) {
            writeFileSync(path.join(outputDirectory, name), contents);
          }
          return true;
        },
      },
    },
  });
}
