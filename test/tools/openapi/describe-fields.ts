import type { Json } from "./schemas.ts";
import {
  answerFields,
  type Field,
  type Fields,
  isNotification,
  notificationFields,
  parameterFields,
} from "./texts.ts";

type Schema = Json & { properties?: Record<string, Schema> };

/** A body of a schema that was recorded. */
export type Recorded = readonly [schema: Json, value: unknown];

const webhookFields = {
  ...answerFields,
  eventId: ["The notification's id, also `webhook-id`.", "ntf_01J9ZC3P2V8Q4N6T0B5W7XKD1M"] as const,
};
/**
 * Gives each field a description and an example. The contract's own texts take precedence, and
 * examples of the tables over recorded ones.
 */
export function describeFields(
  schemas: Json,
  { paths, webhooks }: { readonly paths: Json; readonly webhooks: Json },
  recorded: readonly Recorded[],
): void {
  for (const [name, schema] of Object.entries(schemas))
    describe(schema, isNotification(name) ? notificationFields : answerFields, schemas);
  describe(paths, answerFields, schemas);
  describe(webhooks, webhookFields, schemas);
  for (const [schema, value] of recorded) takeExamples(schema, value, schemas);
  const operations = Object.values(paths).flatMap((path) => Object.values(path as Json) as Json[]);
  for (const parameter of operations.flatMap((operation) => operation.parameters as Json[])) {
    const name = String(parameter.name);
    const [description, example] = parameterFields[name] ?? [];
    const schema = withComponent((parameter.schema ?? {}) as Json, schemas);
    if (description && !schema.description) parameter.description ??= description;
    if (example !== undefined && fits(schema, example)) parameter.example = example;
  }
}

/** Visits the properties of every schema inside. */
function describe(inside: unknown, texts: Fields, schemas: Json): void {
  if (typeof inside !== "object" || inside === null) return;
  const { properties = {} } = inside as Schema;
  for (const [name, property] of Object.entries(properties)) {
    const [description, example] = Object.hasOwn(texts, name) ? (texts[name] as Field) : [];
    // The text of a referenced enum lists its codes.
    if (description && !withComponent(property, schemas).description) property.description = description;
    const several = property.items && fits(property.items as Json, example) ? [example] : undefined;
    const own = example !== undefined && fits(property, example) ? example : several;
    const found = own === undefined ? formExample(property, schemas) : own;
    if (found !== undefined) property.examples ??= [found];
  }
  if (Array.isArray((inside as Schema).enum) && !("type" in inside && inside.type === "null"))
    (inside as Schema).examples ??= [((inside as Schema).enum as unknown[])[0]];
  for (const [key, part] of Object.entries(inside))
    if (key !== "examples" && key !== "example") describe(part, texts, schemas);
}

/** One name may have several types: the example must match the schema's. */
function fits({ type, anyOf, enum: codes, const: only }: Json, example: unknown): boolean {
  if (only !== undefined) return example === only;
  if (Array.isArray(codes)) return codes.includes(example);
  if (Array.isArray(anyOf)) return anyOf.some((one) => fits(one as Json, example));
  const own = example === null ? "null" : Array.isArray(example) ? "array" : typeof example;
  return [type].flat().some((one) => (one === "integer" ? own === "number" : one === own));
}

/** The example that follows from the form of a schema: an id, a time. */
function formExample({ type, pattern, format, anyOf, items }: Json, schemas: Json): unknown {
  if (type === "null") return null;
  if (Array.isArray(anyOf)) return formExample((anyOf as Json[])[0] as Json, schemas);
  const { enum: words } = (items ? withComponent(items as Json, schemas) : {}) as Schema;
  if (Array.isArray(words)) return [words[0]];
  const prefix = /^\^(\w{3})_\[0-7\]/.exec(String(pattern))?.[1];
  if (prefix) return `${prefix}_01J9ZC3P2V8Q4N6T0B5W7XKD1M`;
  return format === "date-time" ? "2026-07-09T07:00:00.000Z" : undefined;
}

/** Values of the body become examples of the fields that have none. */
function takeExamples(schema: Json, value: unknown, schemas: Json): void {
  if (schema.$ref) takeExamples(component(schema, schemas), value, schemas);
  if (schema.contentSchema) takeExamples(schema.contentSchema as Json, JSON.parse(String(value)), schemas);
  for (const part of [schema.allOf, schema.anyOf].flat())
    if (part) takeExamples(part as Json, value, schemas);
  if (Array.isArray(value) && schema.items)
    for (const item of value) takeExamples(schema.items as Json, item, schemas);
  if (typeof value !== "object" || value === null) return;
  for (const [name, property] of Object.entries((schema as Schema).properties ?? {})) {
    const member = (value as Json)[name];
    if (member === undefined || member === null || member === "") continue;
    const isScalar = [member].flat().every((one) => typeof one !== "object");
    if (isScalar && property.$ref === undefined) property.examples ??= [member];
    takeExamples(property, member, schemas);
  }
}

function withComponent(schema: Json, schemas: Json): Json {
  return schema.$ref === undefined ? schema : { ...component(schema, schemas), ...schema };
}

function component({ $ref }: Json, schemas: Json): Json {
  return schemas[String($ref).slice("#/components/schemas/".length)] as Json;
}
