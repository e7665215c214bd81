import type { Resource } from "./interfaces.ts";
import { isObject, NO_VALUE, resolve, type Scope, TemplateError } from "./intrinsics.ts";
import { unknownProperties } from "./known-properties.ts";
import { PASSED_OVER_TYPES } from "./passed-over.ts";
import { type Identity, identify } from "./physical-names.ts";
import { SUPPORTED_TYPES } from "./supported.ts";

export interface Template {
  Parameters?: Record<string, { Type: string; Default?: unknown }>;
  Conditions?: Record<string, unknown>;
  Resources?: Record<string, TemplateResource>;
  Outputs?: Record<string, { Value: unknown; Condition?: string }>;
}

interface TemplateResource {
  Type: string;
  Properties?: Record<string, unknown>;
  Condition?: string;
}

export interface Stack {
  name: string;
  region: string;
  account: string;
  template: Template;
}

export interface AssemblyOptions {
  /** Values for the templates' parameters. One that a template declares and nobody gives is an error. */
  parameters: Record<string, string>;
  /** Where queue URLs point, such as `http://127.0.0.1:4100`. */
  queueEndpoint: string;
}

/** One stack's template and the names in it. Identities are made on first use: an explicit name may refer to another resource. */
export class StackScope implements Scope {
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
    const resources: Resource[] = [];
    for (const [logicalId, resource] of Object.entries(this.#stack.template.Resources ?? {})) {
      if (resource.Type in PASSED_OVER_TYPES || !this.#isWanted(resource.Condition)) continue;
      const known = SUPPORTED_TYPES[resource.Type];
      const at = `  ${this.#stack.name}/${logicalId} (${resource.Type})`;
      if (known === undefined) {
        faults.push(`${at}: the type is not known`);
        continue;
      }
      try {
        const properties = resolve(resource.Properties ?? {}, this);
        if (!isObject(properties)) throw new TemplateError("the properties are not an object");
        faults.push(...unknownProperties(properties, known).map((path) => `${at}: ${path} is not known`));
        const { physicalName, arn } = this.#identity(logicalId);
        const { name: stack } = this.#stack;
        resources.push({ stack, logicalId, type: resource.Type, properties, physicalName, arn });
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        faults.push(`${at}: ${error.message}`);
      }
    }
    return resources;
  }

  readOutputs(): Record<string, string> {
    const entries = Object.entries(this.#stack.template.Outputs ?? {}).filter(([, output]) =>
      this.#isWanted(output.Condition),
    );
    return Object.fromEntries(entries.map(([name]) => [name, String(this.output(name))]));
  }

  output(name: string): unknown {
    const output = this.#stack.template.Outputs?.[name];
    if (output === undefined) throw new TemplateError(`the stack ${this.#stack.name} has no output ${name}`);
    return resolve(output.Value, this);
  }

  ref(name: string): unknown {
    const { name: stackName, region, account, template } = this.#stack;
    switch (name) {
      case "AWS::NoValue":
        return NO_VALUE;
      case "AWS::Region":
        return region;
      case "AWS::AccountId":
        return account;
      case "AWS::Partition":
        return "aws";
      case "AWS::URLSuffix":
        return "amazonaws.com";
      case "AWS::StackName":
        return stackName;
      case "AWS::StackId":
        return `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/local`;
    }
    const parameter = template.Parameters?.[name];
    if (parameter === undefined) return this.#identity(name).ref;
    const value = this.#options.parameters[name] ?? parameter.Default;
    if (value === undefined) throw new TemplateError(`the parameter ${name} has no value`);
    return parameter.Type.startsWith("List<") || parameter.Type === "CommaDelimitedList"
      ? String(value).split(",")
      : value;
  }

  attribute(logicalId: string, attribute: string): unknown {
    const value = this.#identity(logicalId).attributes[attribute];
    if (value === undefined) throw new TemplateError(`the attribute ${logicalId}.${attribute} is not known`);
    return value;
  }

  stackOutput(stackName: string, outputName: string): unknown {
    const scope = this.#scopes.get(stackName);
    if (scope === undefined) throw new TemplateError(`there is no stack ${stackName}`);
    return scope.output(outputName);
  }

  condition(name: string): boolean {
    const condition = this.#stack.template.Conditions?.[name];
    if (condition === undefined) throw new TemplateError(`there is no condition ${name}`);
    return resolve(condition, this) === true;
  }

  #isWanted(condition: string | undefined): boolean {
    return condition === undefined || this.condition(condition);
  }

  #identity(logicalId: string): Identity {
    const known = this.#identities.get(logicalId);
    if (known !== undefined) return known;
    const resource = this.#stack.template.Resources?.[logicalId];
    if (resource === undefined) throw new TemplateError(`${logicalId} is not defined in ${this.#stack.name}`);
    const { name: stackName, region, account } = this.#stack;
    const { queueEndpoint } = this.#options;
    const properties = this.#namingProperties(resource.Properties ?? {});
    const identity = identify({
      type: resource.Type,
      logicalId,
      stackName,
      region,
      account,
      properties,
      queueEndpoint,
    });
    this.#identities.set(logicalId, identity);
    return identity;
  }

  /** Only what names are made of: resolving a whole resource here could run in circles. */
  #namingProperties(properties: Record<string, unknown>): Record<string, unknown> {
    const naming = Object.entries(properties).filter(([name]) => name.endsWith("Name"));
    return Object.fromEntries(naming.map(([name, value]) => [name, resolve(value, this)]));
  }
}
