import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { integerEnum } from "../../../shared/contract/primitives.ts";
import { portablePattern } from "./portable-pattern.ts";

export type Json = { [key: string]: unknown };

export interface Schemas {
  readonly components: Json;
  /** Returns a reference for a schema with a name in the contract, otherwise the schema itself. */
  readonly of: (schema: z.ZodType, io: "input" | "output") => Json;
}

const contract = path.join(import.meta.dirname, "../../../shared/contract");
const prefix = "#/components/schemas/";

/**
 * Reads the contract's exported schemas. Enums take the name of their codes. A schema whose request
 * and response forms differ gets an `Input` suffix for the request.
 */
export async function readSchemas(answers: readonly z.ZodType[]): Promise<Schemas> {
  const named = await namedSchemas();
  const answered = convert(named, "output");
  const sent = convert(named, "input");
  const names = new Map([...named].map(([name, { schema }]) => [schema, name]));
  registerNames(names);
  const shared = reachable(answers, named, answered);
  const differing = new Set([...differingNames(sent, answered)].filter((name) => shared.has(name)));
  const components: Json = {};
  const need = (io: "input" | "output", name: string) => {
    const key = io === "input" && differing.has(name) ? `${name}Input` : name;
    if (components[key] !== undefined) return key;
    components[key] = {};
    components[key] = withReferences((io === "input" ? sent : answered)[name] as Json, io);
    return key;
  };
  const withReferences = (schema: Json, io: "input" | "output"): Json =>
    mapReferences(schema, (name) => need(io, name));
  const of = (schema: z.ZodType, io: "input" | "output"): Json => {
    const name = names.get(schema);
    if (name !== undefined) return { $ref: prefix + need(io, name) };
    return withReferences(toSchema(schema, io), io);
  };
  return { components, of };
}

interface Named {
  readonly schema: z.ZodType;
  readonly codes?: Codes;
  readonly notes?: Notes | undefined;
}

async function namedSchemas(): Promise<Map<string, Named>> {
  const named = new Map<string, Named>();
  for (const file of readdirSync(contract)
    .filter((name) => name.endsWith(".ts"))
    .toSorted()) {
    const exported = (await import(pathToFileURL(path.join(contract, file)).href)) as Json;
    const notes = readNotes(path.join(contract, file));
    for (const [name, value] of Object.entries(exported)) {
      if (!/^[A-Z]/.test(name)) continue;
      if (value instanceof z.ZodType) named.set(name, { schema: value, notes: notes.get(name) });
      if (isCodes(value)) named.set(name, { schema: integerEnum(value), codes: value });
    }
  }
  return named;
}

type Codes = Readonly<Record<string, number>>;

function isCodes(value: unknown): value is Codes {
  return typeof value === "object" && value !== null && Object.values(value).every(Number.isInteger);
}

function convert(named: ReadonlyMap<string, Named>, io: "input" | "output"): Record<string, Json> {
  const names = new Map([...named].map(([name, { schema }]) => [schema, name]));
  const schemas = toSchemas(names, io);
  return Object.fromEntries(
    [...named].map(([name, one]) => [name, described(schemas[names.get(one.schema) ?? name] as Json, one)]),
  );
}

function described(schema: Json, { codes, notes }: Named): Json {
  const listed = Object.entries(codes ?? {}).map(([code, value]) => `${value} ${code}`);
  const description = codes ? `${listed.join(", ")}.` : notes?.text;
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, of]) => {
    const text = notes?.fields.get(name);
    return [name, text === undefined ? of : { ...of, description: text }];
  });
  return {
    ...schema,
    ...(description !== undefined && { description }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  };
}

/** Parts with names become references. */
function toSchemas(names: ReadonlyMap<z.ZodType, string>, io: "input" | "output"): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, name] of names) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, { ...howToWrite(io), uri: (name) => prefix + name });
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, withoutIds(one)]));
}

/** A schema without a name: zod refers to the parts whose names `registerNames` told. */
function toSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const text = JSON.stringify(withoutIds(z.toJSONSchema(schema, howToWrite(io)) as Json));
  return JSON.parse(text.replaceAll('"$ref":"#/$defs/', `"$ref":"${prefix}`));
}

function withoutIds({ id: _id, $id: _uri, $schema: _schema, $defs: _parts, ...own }: Json): Json {
  return own;
}

function registerNames(names: ReadonlyMap<z.ZodType, string>): void {
  for (const [schema, id] of names) {
    z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
  }
}

function howToWrite(io: "input" | "output") {
  return {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Json }) => {
      for (const check of zodSchema._zod.def.checks ?? []) refuseFlags(check._zod.def);
      simplify(jsonSchema);
    },
  } as const;
}

/** JSON Schema has no flags, and `toJSONSchema` leaves them out without a word. */
function refuseFlags(check: { readonly check: string; readonly pattern?: RegExp }): void {
  if (!/^u?$/.test(check.pattern?.flags ?? "")) throw new Error(`JSON Schema cannot say ${check.pattern}`);
}

/** Removes validation details, and restrictions that would forbid new response fields. */
function simplify(schema: Json): void {
  if (schema.format !== undefined) delete schema.pattern;
  publishPatterns(schema);
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  const codes = Array.isArray(schema.enum) ? schema.enum : [schema.const];
  if (schema.type === "number" && codes.every(Number.isInteger)) schema.type = "integer";
}

/** Two patterns of one text are in `allOf`. */
function publishPatterns(schema: Json): void {
  const { pattern, allOf } = schema as { pattern?: string; allOf?: Json[] };
  const published = pattern === undefined ? undefined : portablePattern(pattern);
  if (published === undefined) delete schema.pattern;
  else schema.pattern = published;
  if (allOf === undefined) return;
  for (const part of allOf) publishPatterns(part);
  const parts = allOf.filter((part) => Object.keys(part).length > 0);
  delete schema.allOf;
  if (parts.length === 1) Object.assign(schema, parts[0]);
  else schema.allOf = parts;
}

function reachable(
  answers: readonly z.ZodType[],
  named: ReadonlyMap<string, Named>,
  answered: Record<string, Json>,
): Set<string> {
  const names = new Map([...named].map(([name, { schema }]) => [schema, name]));
  const found = new Set<string>();
  const visit = (name: string): string => {
    if (found.has(name)) return name;
    found.add(name);
    mapReferences(answered[name] as Json, visit);
    return name;
  };
  for (const schema of answers) {
    const name = names.get(schema);
    if (name === undefined) mapReferences(toSchema(schema, "output"), visit);
    else visit(name);
  }
  return found;
}

/** Returns the names whose request and response forms differ, directly or nested. */
function differingNames(sent: Record<string, Json>, answered: Record<string, Json>): Set<string> {
  const names = Object.keys(sent);
  const differing = new Set(
    names.filter((name) => JSON.stringify(sent[name]) !== JSON.stringify(answered[name])),
  );
  for (let size = -1; size !== differing.size; ) {
    size = differing.size;
    for (const name of names) {
      mapReferences(sent[name] as Json, (to) => {
        if (differing.has(to)) differing.add(name);
        return to;
      });
    }
  }
  return differing;
}

function mapReferences(schema: Json, map: (name: string) => string): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "$ref" ? prefix + map(String(value).slice(prefix.length)) : value,
  );
}

interface Notes {
  text?: string;
  readonly fields: Map<string, string>;
}

const declaration = /^(?:export )?const (\w+)/;
const field = /^ {2}(\w+):/;
const spread = /^ {2}\.\.\.(\w+),/;

/** Reads the docblocks of a contract module's declarations and their fields, also spread ones. */
export function readNotes(file: string): ReadonlyMap<string, Notes> {
  const notes = new Map<string, Notes>();
  let comment: string[] | undefined;
  let inComment = false;
  let current: Notes = { fields: new Map() };
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const begins = /^ *\/\*\*/.test(line);
    if (begins) comment = [];
    if (begins || inComment) {
      comment?.push(line.replace(/^ *(?:\/\*\*|\*(?!\/))? ?/, "").replace(/ ?\*\/$/, ""));
      inComment = !line.includes("*/");
      continue;
    }
    const text = comment?.join(" ").replace(/\s+/g, " ").trim();
    comment = undefined;
    const declared = declaration.exec(line)?.[1];
    if (declared !== undefined) {
      current = { fields: new Map(), ...(text && { text }) };
      notes.set(declared, current);
    }
    const others = notes.get(spread.exec(line)?.[1] ?? "")?.fields ?? [];
    for (const [other, description] of others) current.fields.set(other, description);
    const name = field.exec(line.replace(/^ {4}/, "  "))?.[1];
    if (name !== undefined && text) current.fields.set(name, text);
  }
  return notes;
}
