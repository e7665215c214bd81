import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface StackFixture {
  Parameters?: Record<string, unknown>;
  Conditions?: Record<string, unknown>;
  Resources: Record<string, unknown>;
  Outputs?: Record<string, unknown>;
}

/**
 * Writes a nested assembly as the CDK does: a template per stack, an asset folder per function. A
 * fixture's function refers to its code by `Code: code("name")`.
 */
export function givenAssembly(
  stacks: Record<string, StackFixture>,
  code: Record<string, string> = {},
): string {
  const directory = temporaryDirectory();
  const nested = join(directory, "assembly-local");
  mkdirSync(nested);
  const artifacts: Record<string, unknown> = {};
  for (const [stackName, template] of Object.entries(stacks)) {
    writeJson(nested, `${stackName}.template.json`, template);
    artifacts[stackName] = {
      type: "aws:cloudformation:stack",
      environment: "aws://111122223333/eu-west-1",
      properties: { templateFile: `${stackName}.template.json`, stackName },
    };
  }
  const files = Object.entries(code).map(([name, source]) => {
    mkdirSync(join(directory, `asset.${name}`));
    writeFileSync(join(directory, `asset.${name}`, "index.mjs"), source);
    const destination = { bucketName: "assets", objectKey: `${name}.zip` };
    return [
      name,
      { source: { path: `../asset.${name}`, packaging: "zip" }, destinations: { current: destination } },
    ];
  });
  writeJson(nested, "assets.json", { files: Object.fromEntries(files) });
  artifacts.assets = { type: "cdk:asset-manifest", properties: { file: "assets.json" } };
  writeJson(nested, "manifest.json", { artifacts });
  const root = { type: "cdk:cloud-assembly", properties: { directoryName: "assembly-local" } };
  writeJson(directory, "manifest.json", {
    artifacts: { "assembly-local": root, Tree: { type: "cdk:tree" } },
  });
  return directory;
}

export function code(name: string): { S3Bucket: string; S3Key: string } {
  return { S3Bucket: "assets", S3Key: `${name}.zip` };
}

const directories: string[] = [];

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "local-target-"));
  directories.push(directory);
  return directory;
}

export function removeTemporaryDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}

function writeJson(directory: string, name: string, value: unknown): void {
  writeFileSync(join(directory, name), JSON.stringify(value));
}
