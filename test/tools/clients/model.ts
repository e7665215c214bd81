/** JSON Schema, as far as the document has it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: Literal;
  readonly enum?: readonly Literal[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly contentSchema?: Schema;
  readonly description?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Schema;
  readonly description?: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export type Literal = string | number | boolean;

/** A type as programming languages have them. */
export type Type =
  | { readonly kind: "string" | "integer" | "number" | "boolean" | "null" | "any" }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "list" | "map"; readonly of: Type }
  | { readonly kind: "literal"; readonly values: readonly Literal[] }
  | { readonly kind: "union"; readonly of: readonly Type[] };

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  readonly description: string;
}

export type Declaration = { readonly name: string; readonly description: string } & (
  | { readonly fields: readonly Field[] }
  | { readonly type: Type }
);

export interface Call {
  /** Such as `cards_issueCard`. */
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly pathNames: readonly string[];
  readonly query: readonly Field[];
  readonly body?: { readonly type: Type; readonly isOptional: boolean; readonly isLines: boolean };
  /** The type of `data`, or of one of a list's `items`. */
  readonly answer: Type;
  readonly isList: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  readonly isKeyed: boolean;
  /** Beside JSON, as `format` names them. */
  readonly formats: readonly string[];
}

export interface Model {
  readonly declarations: readonly Declaration[];
  readonly calls: readonly Call[];
}

export function readModel(document: Document): Model {
  const types = new Types(document.components.schemas);
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readCall(types, method, path, operation)),
  );
  return { declarations: types.declarations(), calls };
}

const json = "application/json";

function readCall(types: Types, method: string, path: string, operation: Operation): Call {
  const { operationId: id, summary, parameters = [], requestBody, responses } = operation;
  const name = upperFirst(id.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase()));
  const { properties = {} } = responses[200]?.content[json]?.schema ?? {};
  const isList = properties.items !== undefined;
  const query = parameters.filter((one) => one.in === "query" && one.name !== "format");
  const formats = parameters.find((one) => one.name === "format")?.schema.enum ?? [];
  const body = requestBody?.content[json]?.schema;
  const lines = requestBody?.content["application/x-ndjson"]?.schema.contentSchema;
  const sent = lines ?? body;
  return {
    ...{ id, summary, method: method.toUpperCase(), path, isList },
    pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, one = ""]) => one),
    query: query.map(({ name: field, schema, description = "" }) => ({
      ...{ name: field, type: types.read(schema, name + upperFirst(field)), isRequired: false, description },
    })),
    ...(sent && {
      body: {
        type: types.read(sent, `${name}Body`),
        isOptional: !lines && types.isOptional(sent),
        isLines: lines !== undefined,
      },
    }),
    answer: isList
      ? types.read(properties.items?.items ?? {}, `${name}Item`)
      : types.read(properties.data ?? {}, `${name}Answer`),
    isKeyed: parameters.some(({ $ref }) => $ref?.endsWith("/Idempotency-Key")),
    formats: formats.map(String).filter((format) => format !== "json"),
  };
}

class Types {
  readonly #schemas: Document["components"]["schemas"];
  readonly #declared = new Map<string, Declaration>();

  constructor(schemas: Document["components"]["schemas"]) {
    this.#schemas = schemas;
    // Names of the document come first: what has none takes another.
    for (const name of Object.keys(schemas)) this.#declared.set(name, { name, description: "", fields: [] });
    for (const [name, schema] of Object.entries(schemas)) this.#declare(name, schema);
  }

  declarations(): Declaration[] {
    return [...this.#declared.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  isOptional(schema: Schema): boolean {
    const found = schema.$ref ? this.#schemas[nameIn(schema.$ref)] : schema;
    return (found?.required ?? []).length === 0;
  }

  #declare(name: string, schema: Schema): void {
    const { description = "", properties, required = [] } = schema;
    const declared = properties
      ? {
          fields: Object.entries(properties).map(([field, one]) => ({
            name: field,
            type: this.read(one, name + upperFirst(field)),
            isRequired: required.includes(field),
            description: one.description ?? "",
          })),
        }
      : { type: this.#readPlain(schema, name) };
    this.#declared.set(name, { name, description, ...declared });
  }

  /** An object without a name is declared under the given one. */
  read(schema: Schema, given: string): Type {
    if (schema.$ref) return { kind: "named", name: nameIn(schema.$ref) };
    if (!schema.properties) return this.#readPlain(schema, given);
    let name = given;
    for (let count = 2; this.#declared.has(name); count += 1) name = `${given}${count}`;
    this.#declare(name, schema);
    return { kind: "named", name };
  }

  #readPlain(schema: Schema, given: string): Type {
    const { type, enum: values, items, additionalProperties } = schema;
    const several = schema.anyOf ?? schema.oneOf;
    if (several)
      return {
        kind: "union",
        of: several.map((one, index) => this.read(one, given + (index > 0 ? index + 1 : ""))),
      };
    if (schema.const !== undefined) return { kind: "literal", values: [schema.const] };
    if (values) return { kind: "literal", values };
    if (type === "array") return { kind: "list", of: this.read(items ?? {}, `${given}Item`) };
    if (type === "object") {
      const of = typeof additionalProperties === "object" ? additionalProperties : {};
      return { kind: "map", of: this.read(of, `${given}Value`) };
    }
    const named = (Array.isArray(type) ? type : [type]).map((one) => ({ kind: one ?? "any" }) as Type);
    return named.length === 1 ? (named[0] as Type) : { kind: "union", of: named };
  }
}

const nameIn = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
