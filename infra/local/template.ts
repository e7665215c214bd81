import { z } from "zod";

export interface Resource {
  stack: string;
  logicalId: string;
  type: string;
  properties: Record<string, unknown>;
  /** The basis of `Ref` and names: the table's, queue's, function's or bus's name. */
  physicalName: string;
  /** Empty for types without an ARN. */
  arn: string;
}

export interface Assembly {
  region: string;
  account: string;
  resources: Resource[];
  outputs: Record<string, string>;
  ofType(type: string): Resource[];
  byArn(arn: string): Resource | undefined;
  assetPath(resource: Resource): string;
}

export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

export function readProperties<Schema extends z.ZodType>(
  resource: Resource,
  schema: Schema,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(resource.properties);
  if (success) return data;
  throw new Error(`${resource.type} ${resource.logicalId} of ${resource.stack}:\n${z.prettifyError(error)}`);
}

export function queueName(assembly: Assembly, arn: string): string {
  const resource = assembly.byArn(arn);
  if (resource?.type !== "AWS::SQS::Queue") throw new Error(`${arn} is no queue of the template`);
  return resource.physicalName;
}

interface Replica {
  readonly Region?: string;
  readonly ResourcePolicy?: { readonly PolicyDocument: unknown };
  readonly SSESpecification?: { readonly KMSMasterKeyId?: unknown };
}

/** A table's policy and key in the assembly's region. */
export function ownReplica({ properties }: Resource, { region }: Assembly): Replica {
  const { Replicas: replicas = [] } = properties as { Replicas?: Replica[] };
  return replicas.find(({ Region }) => Region === region) ?? {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Scope {
  ref(name: string): unknown;
  attribute(logicalId: string, attribute: string): unknown;
  stackOutput(stackName: string, outputName: string): unknown;
}

export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope));
  if (typeof value === "string" && value.includes("{{resolve:")) {
    throw new TemplateError("a dynamic reference ({{resolve:…}}) is not known to the local target");
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const [[name, argument] = ["", undefined]] = entries;
  if (entries.length === 1 && (name === "Ref" || name.startsWith("Fn::")))
    return resolveIntrinsic(name, resolve(argument, scope), scope);
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, scope)]));
}

function resolveIntrinsic(name: string, argument: unknown, scope: Scope): unknown {
  const [first, second] = Array.isArray(argument) ? argument : [argument];
  switch (name) {
    case "Ref":
      return scope.ref(text(first, name));
    case "Fn::GetAtt": {
      const [logicalId = "", ...attribute] = Array.isArray(argument)
        ? argument
        : text(first, name).split(".");
      return scope.attribute(text(logicalId, name), attribute.join("."));
    }
    case "Fn::Join":
      return list(second, name)
        .map((part) => text(part, name))
        .join(text(first, name));
    case "Fn::Select": {
      const items = list(second, name);
      if (Number(first) in items) return items[Number(first)];
      throw new TemplateError(`Fn::Select finds no element ${first} of ${items.length}`);
    }
    case "Fn::Split":
      return text(second, name).split(text(first, name));
    case "Fn::GetStackOutput":
      if (!isObject(argument)) throw new TemplateError("Fn::GetStackOutput needs a stack and an output");
      return scope.stackOutput(text(argument.StackName, name), text(argument.OutputName, name));
    default:
      throw new TemplateError(`the intrinsic ${name} is not known to the local target`);
  }
}

function text(value: unknown, intrinsic: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new TemplateError(`${intrinsic} needs a string and got ${JSON.stringify(value) ?? String(value)}`);
}

function list(value: unknown, intrinsic: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TemplateError(`${intrinsic} needs a list and got ${JSON.stringify(value) ?? String(value)}`);
}
