import { z } from "zod";

/** A resource of the template, every intrinsic resolved. */
export interface Resource {
  stack: string;
  logicalId: string;
  type: string;
  properties: Record<string, unknown>;
  /** What `Ref` and names derive from: the table, queue, function or bus name. */
  physicalName: string;
  /** Empty for types that have none. */
  arn: string;
}

/** The synthesized app. */
export interface Assembly {
  region: string;
  account: string;
  resources: Resource[];
  /** The outputs of every stack by their output name. */
  outputs: Record<string, string>;
  ofType(type: string): Resource[];
  byArn(arn: string): Resource | undefined;
  /** The folder or file that holds a function's code. */
  assetPath(resource: Resource): string;
}

export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** Parses a resource's properties. Errors: what cannot be run, with the resource's name. */
export function readProperties<Schema extends z.ZodType>(
  resource: Resource,
  schema: Schema,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(resource.properties);
  if (success) return data;
  throw new Error(`${resource.type} ${resource.logicalId} of ${resource.stack}:\n${z.prettifyError(error)}`);
}

/** The name of the template's queue with this ARN. Errors: the ARN is of something else. */
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
