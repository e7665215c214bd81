import { z } from "zod";

/** A resource of the template with all intrinsics resolved. */
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
  /** Outputs of all stacks by name. */
  outputs: Record<string, string>;
  ofType(type: string): Resource[];
  byArn(arn: string): Resource | undefined;
  /** Returns the folder or file of a function's code. */
  assetPath(resource: Resource): string;
}

export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** Parses a resource's properties. Throws an Error with the resource's name and the faults. */
export function readProperties<Schema extends z.ZodType>(
  resource: Resource,
  schema: Schema,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(resource.properties);
  if (success) return data;
  throw new Error(`${resource.type} ${resource.logicalId} of ${resource.stack}:\n${z.prettifyError(error)}`);
}

/** Returns the name of the queue with this ARN. Throws if it is not a queue of the template. */
export function queueName(assembly: Assembly, arn: string): string;
export function queueName(assembly: Assembly, arn: string | undefined): string | undefined;
export function queueName(assembly: Assembly, arn: string | undefined): string | undefined {
  if (arn === undefined) return undefined;
  const resource = assembly.byArn(arn);
  if (resource?.type !== "AWS::SQS::Queue") throw new Error(`${arn} is no queue of the template`);
  return resource.physicalName;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
