import { z } from "zod";
import type { Resource } from "../interfaces.ts";

/** A resource's properties as a part of the local target reads them. Errors: what it cannot run, by resource. */
export function readProperties<Schema extends z.ZodType>(
  resource: Resource,
  schema: Schema,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(resource.properties);
  if (success) return data;
  throw new Error(`${resource.type} ${resource.logicalId} of ${resource.stack}:\n${z.prettifyError(error)}`);
}
