import { existsSync, readFileSync } from "node:fs";
import { join, resolve as resolvePath } from "node:path";
import { type Identity, identify } from "./physical-names.ts";
import { ignoredTypes, supportedTypes, unknownProperties } from "./supported.ts";
import { type Assembly, isObject, type Resource, resolve, type Scope, TemplateError } from "./template.ts";

interface Artifact {
  type: string;
  environment?: string;
  properties?: Record<string, string>;
}

interface Stack {
  name: string;
  region: string;
  account: string;
  template: {
    Parameters?: Record<string, { Default?: unknown }>;
    Resources?: Record<string, { Type: string; Properties?: Record<string, unknown>; Condition?: string }>;
    Outputs?: Record<string, { Value: unknown }>;
  };
}

export interface AssemblyOptions {
  parameters: Record<string, string>;
  /** Base of the queue URLs, such as `http://127.0.0.1:4100`. */
  queueEndpoint: string;
}

/** Throws a TemplateError that lists everything unsupported, by resource and property. */
export function readAssembly(directory: string, options: AssemblyOptions): Assembly {
  const stacks: Stack[] = [];
  const assets = new Map<string, string>();
  readManifest(resolvePath(directory), stacks, assets);
  const [first] = stacks;
  if (first === undefined) throw new TemplateError(`${directory} holds no stack`);
  const scopes = new Map<string, StackScope>();
  for (const stack of stacks) scopes.set(stack.name, new StackScope(stack, options, scopes));

  const faults: string[] = [];
  const resources = [...scopes.values()].flatMap((scope) => scope.readResources(faults));
  const outputs = Object.assign({}, ...[...scopes.values()].map((scope) => scope.readOutputs()));
  if (faults.length > 0)
    throw new TemplateError(`The template holds what the local target cannot run:\n${faults.join("\n")}`);
  // Each call of a function asks by type and ARN.
  const byType = Map.groupBy(resources, ({ type }) => type);
  const byArn = new Map(resources.toReversed().map((resource) => [resource.arn, resource]));
  return {
    region: first.region,
    account: first.account,
    resources,
    outputs,
    ofType: (type) => byType.get(type) ?? [],
    byArn: (arn) => (arn === "" ? undefined : byArn.get(arn)),
    assetPath: ({ logicalId, properties: { Code: code } }) => {
      const path = isObject(code) ? assets.get(String(code.S3Key)) : undefined;
      if (path !== undefined && existsSync(path)) return path;
      throw new TemplateError(`${logicalId}: the assembly holds no code for it`);
    },
  };
}

function readManifest(directory: string, stacks: Stack[], assets: Map<string, string>): void {
  const manifest: { artifacts?: Record<string, Artifact> } = readJson(join(directory, "manifest.json"));
  for (const { type, environment = "", properties = {} } of Object.values(manifest.artifacts ?? {})) {
    if (type === "cdk:cloud-assembly") {
      readManifest(join(directory, properties.directoryName ?? ""), stacks, assets);
    } else if (type === "cdk:asset-manifest") {
      readAssets(directory, properties.file ?? "", assets);
    } else if (type === "aws:cloudformation:stack") {
      const [account = "", region = ""] = environment.replace("aws://", "").split("/");
      const template: Stack["template"] = readJson(join(directory, properties.templateFile ?? ""));
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

function readJson<Shape>(path: string): Shape {
  if (!existsSync(path)) throw new TemplateError(`${path} does not exist: synthesize first`);
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Identities are created on first use, because an explicit name may refer to another resource. */
class StackScope implements Scope {
  readonly #stack: Stack;
  readonly #options: AssemblyOptions;
  readonly #scopes: ReadonlyMap<string, StackScope>;
  readonly #identities = new Map<string, Identity>();

  constructor(stack: Stack, options: AssemblyOptions, scopes: ReadonlyMap<string, StackScope>) {
    this.#stack = stack;
    this.#options = options;
    this.#scopes = scopes;
  }

  readResources(faults: string[]): Resource[] {
    const { name: stack, template } = this.#stack;
    return Object.entries(template.Resources ?? {}).flatMap(([logicalId, resource]): Resource[] => {
      const { Type: type, Properties = {}, Condition } = resource;
      if (type in ignoredTypes) return [];
      const known = supportedTypes[type];
      const at = `  ${stack}/${logicalId} (${type})`;
      try {
        if (known === undefined) throw new TemplateError("the type is not known");
        if (Condition !== undefined) throw new TemplateError("its Condition is not known");
        const properties = resolve(Properties, this) as Record<string, unknown>;
        faults.push(...unknownProperties(properties, known).map((path) => `${at}: ${path} is not known`));
        const { physicalName, arn } = this.#identity(logicalId);
        return [{ stack, logicalId, type, properties, physicalName, arn }];
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        faults.push(`${at}: ${error.message}`);
        return [];
      }
    });
  }

  readOutputs(): Record<string, string> {
    const names = Object.keys(this.#stack.template.Outputs ?? {});
    return Object.fromEntries(names.map((name) => [name, String(this.#output(name))]));
  }

  ref(name: string): unknown {
    const { region, account, template } = this.#stack;
    if (name === "AWS::Region") return region;
    if (name === "AWS::AccountId") return account;
    if (name === "AWS::Partition") return "aws";
    const parameter = template.Parameters?.[name];
    if (parameter === undefined) return this.#identity(name).ref;
    const value = this.#options.parameters[name] ?? parameter.Default;
    if (value === undefined) throw new TemplateError(`the parameter ${name} has no value`);
    return value;
  }

  attribute(logicalId: string, attribute: string): unknown {
    const value = this.#identity(logicalId).attributes[attribute];
    if (value === undefined) throw new TemplateError(`the attribute ${logicalId}.${attribute} is not known`);
    return value;
  }

  stackOutput(stackName: string, outputName: string): unknown {
    const scope = this.#scopes.get(stackName);
    if (scope === undefined) throw new TemplateError(`there is no stack ${stackName}`);
    return scope.#output(outputName);
  }

  #output(name: string): unknown {
    const output = this.#stack.template.Outputs?.[name];
    if (output === undefined) throw new TemplateError(`the stack ${this.#stack.name} has no output ${name}`);
    return resolve(output.Value, this);
  }

  #identity(logicalId: string): Identity {
    const known = this.#identities.get(logicalId);
    if (known !== undefined) return known;
    const { name: stackName, region, account, template } = this.#stack;
    const { Type: type, Properties = {} } = template.Resources?.[logicalId] ?? {};
    if (type === undefined) throw new TemplateError(`${logicalId} is not defined in ${stackName}`);
    // Resolves only naming properties: a whole resource could refer to itself in a circle.
    const naming = Object.entries(Properties).filter(([name]) => /Name$|^MultiRegion$/.test(name));
    const properties = Object.fromEntries(naming.map(([name, value]) => [name, resolve(value, this)]));
    const { queueEndpoint } = this.#options;
    const identity = identify({ type, logicalId, stackName, region, account, properties, queueEndpoint });
    this.#identities.set(logicalId, identity);
    return identity;
  }
}
