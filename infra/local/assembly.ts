import { existsSync, readFileSync } from "node:fs";
import { join, resolve as resolvePath } from "node:path";
import type { Assembly, Resource } from "./interfaces.ts";
import { isObject, TemplateError } from "./intrinsics.ts";
import { type AssemblyOptions, type Stack, StackScope, type Template } from "./stack-scope.ts";

interface Artifact {
  type: string;
  environment?: string;
  properties?: Record<string, string>;
}

/**
 * Reads a synthesized app: every stack of the folder and of its nested assemblies, each intrinsic resolved.
 * Errors: TemplateError that lists everything the local target does not know, by resource and property.
 */
export function readAssembly(directory: string, options: AssemblyOptions): Assembly {
  const stacks: Stack[] = [];
  const assets = new Map<string, string>();
  readManifest(resolvePath(directory), stacks, assets);
  const [first] = stacks;
  if (first === undefined) throw new TemplateError(`${directory} holds no stack`);
  const scopes = new Map<string, StackScope>();
  for (const stack of stacks) scopes.set(stack.name, new StackScope(stack, options, scopes));

  const faults: string[] = [];
  const resources: Resource[] = [];
  const outputs: Record<string, string> = {};
  for (const scope of scopes.values()) {
    resources.push(...scope.readResources(faults));
    Object.assign(outputs, scope.readOutputs());
  }
  if (faults.length > 0)
    throw new TemplateError(`The template holds what the local target cannot run:\n${faults.join("\n")}`);
  return {
    region: first.region,
    account: first.account,
    resources,
    outputs,
    ofType: (type) => resources.filter((resource) => resource.type === type),
    byArn: (arn) => resources.find((resource) => resource.arn !== "" && resource.arn === arn),
    assetPath: (resource) => assetPath(resource, assets),
  };
}

function readManifest(directory: string, stacks: Stack[], assets: Map<string, string>): void {
  const manifest: { artifacts?: Record<string, Artifact> } = readJson(join(directory, "manifest.json"));
  for (const artifact of Object.values(manifest.artifacts ?? {})) {
    const { properties = {}, environment = "" } = artifact;
    if (artifact.type === "cdk:cloud-assembly") {
      readManifest(join(directory, properties.directoryName ?? ""), stacks, assets);
    } else if (artifact.type === "cdk:asset-manifest") {
      readAssets(directory, properties.file ?? "", assets);
    } else if (artifact.type === "aws:cloudformation:stack") {
      const [account = "", region = ""] = environment.replace("aws://", "").split("/");
      const template: Template = readJson(join(directory, properties.templateFile ?? ""));
      stacks.push({ name: properties.stackName ?? "", account, region, template });
    }
  }
}

interface AssetFile {
  source: { path?: string };
  destinations: Record<string, { objectKey: string }>;
}

function readAssets(directory: string, file: string, assets: Map<string, string>): void {
  const { files = {} }: { files?: Record<string, AssetFile> } = readJson(join(directory, file));
  for (const { source, destinations } of Object.values(files)) {
    for (const { objectKey } of Object.values(destinations)) {
      if (source.path !== undefined) assets.set(objectKey, join(directory, source.path));
    }
  }
}

function assetPath(resource: Resource, assets: Map<string, string>): string {
  const code = resource.properties.Code;
  const path = isObject(code) ? assets.get(String(code.S3Key)) : undefined;
  if (path === undefined || !existsSync(path)) {
    throw new TemplateError(`${resource.logicalId}: the assembly holds no code for it`);
  }
  return path;
}

function readJson<Shape>(path: string): Shape {
  if (!existsSync(path)) throw new TemplateError(`${path} does not exist: synthesize first`);
  return JSON.parse(readFileSync(path, "utf8"));
}
