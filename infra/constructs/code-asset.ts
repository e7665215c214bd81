import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { AssetHashType, DockerImage, FileAssetPackaging, Stack } from "aws-cdk-lib";
import { Code, type CodeConfig } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { projectRoot } from "./bundle.ts";
import { takeBundle } from "./start-bundling.ts";

export const handler = "handler.handler";

/**
 * Context of npm start's synthesis: the directory, relative to the templates', to which it writes
 * the bundles meanwhile.
 */
export const codeContext = "card-issuing:code-directory";

/** A function's minified ES modules, with the SDK. They load five times faster than CommonJS. */
export function bundledCode(scope: Construct, folder: string): Code {
  const directory: string | undefined = scope.node.tryGetContext(codeContext);
  return directory === undefined ? bundleAsset(folder) : new CodeWrittenLater(`${directory}/${folder}`);
}

/** CDK's local bundling lets tests skip it. */
function bundleAsset(folder: string): Code {
  return Code.fromAsset(projectRoot, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: CDK identifies bundles by the command.
      image: DockerImage.fromRegistry("none"),
      command: [folder],
      local: {
        tryBundle(outputDirectory) {
          for (const [name, contents] of takeBundle(folder)) {
            writeFileSync(path.join(outputDirectory, name), contents);
          }
          return true;
        },
      },
    },
  });
}

class CodeWrittenLater extends Code {
  readonly isInline = false;
  readonly #directory: string;

  constructor(directory: string) {
    super();
    this.#directory = directory;
  }

  override bind(scope: Construct): CodeConfig {
    const { bucketName, objectKey } = Stack.of(scope).synthesizer.addFileAsset({
      fileName: this.#directory,
      packaging: FileAssetPackaging.ZIP_DIRECTORY,
      sourceHash: createHash("sha256").update(this.#directory).digest("hex"),
    });
    return { s3Location: { bucketName, objectKey } };
  }
}
