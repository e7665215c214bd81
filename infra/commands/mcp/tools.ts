import { readFileSync } from "node:fs";
import path from "node:path";
import type { Route } from "../../../shared/contract/route.ts";
import { routes } from "../../../shared/contract/routes.ts";
import type { ApiConnection } from "../../command-line/connection.ts";
import { withoutOthers } from "./arguments.ts";
import { takesSecret } from "./secrets.ts";

type Json = Record<string, unknown>;

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly method: Route["method"];
  /** Below the base URL. */
  readonly path: string;
  readonly level: "program" | "tenant";
  readonly pathNames: readonly string[];
  readonly queryNames: readonly string[];
  readonly hasBody: boolean;
  readonly inputSchema: { readonly type: "object" } & Json;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Json;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { "application/json": { schema: Json } };
  };
  readonly responses: Readonly<
    Record<string, { readonly content: { "application/json"?: { readonly schema: Json } } }>
  >;
}

interface Reference {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json };
}

/** Reads, and the sandbox: no other write, and nothing that takes a secret. */
function isOffered(route: Route): boolean {
  return (route.method === "GET" || route.api === "sandbox") && !takesSecret(route);
}

/** Names, descriptions and schemas are those of the reference. */
export function toolsFor({
  sandboxUrl,
  tenantApiKey,
}: Pick<ApiConnection, "sandboxUrl" | "tenantApiKey">): Tool[] {
  const file = path.join(import.meta.dirname, "../../../docs/openapi.json");
  const reference = JSON.parse(readFileSync(file, "utf8")) as Reference;
  const isReachable = ({ api, level }: Route) =>
    (api !== "sandbox" || sandboxUrl !== undefined) && (level !== "tenant" || tenantApiKey !== undefined);
  return routes
    .filter((route) => isReachable(route) && isOffered(route))
    .map((route) => toTool(route, reference));
}

function toTool(route: Route, { paths, components }: Reference): Tool {
  const place = route.api === "sandbox" ? `/sandbox${route.path}` : route.path;
  const operation = paths[place]?.[route.method.toLowerCase()];
  if (operation === undefined)
    throw new Error(`${route.method} ${place} is not in docs/openapi.json: npm run openapi.`);
  // Answers are JSON: a model needs no file.
  const parameters = operation.parameters.filter(
    (one): one is Parameter => "name" in one && one.name !== "format",
  );
  const body = operation.requestBody;
  const properties: Json = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [
      name,
      { ...schema, ...(description && { description }) },
    ]),
  );
  if (body)
    properties.body = { ...body.content["application/json"].schema, description: "The request's body." };
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name);
  const input = {
    type: "object" as const,
    properties,
    required: [...required, ...(body?.required ? ["body"] : [])],
  };
  return {
    name: operation.operationId,
    description: [
      `${operation.summary}.`,
      ...(operation.description ? [operation.description] : []),
      ...tellAnswer(operation, components.schemas),
    ].join("\n"),
    method: route.method,
    path: place,
    level: route.level ?? "program",
    pathNames: named("path"),
    queryNames: named("query"),
    hasBody: body !== undefined,
    inputSchema: withoutOthers(inPlace(input, components.schemas)),
  };
}

const prefix = "#/components/schemas/";

/**
 * The schema with all that it refers to in place: a tool has no document around it, and its reader
 * sees each field where it is sent. No schema of the reference contains itself.
 */
function inPlace<S extends Json>(schema: S, schemas: Json): S {
  return JSON.parse(JSON.stringify(schema), (_, member) => {
    if (typeof member?.$ref !== "string") return member;
    const { $ref, ...beside } = member;
    return { ...inPlace(schemas[$ref.slice(prefix.length)] as Json, schemas), ...beside };
  });
}

/** The answer's fields by their names: they tell a model which tool has what it looks for. */
function tellAnswer({ responses }: Operation, schemas: Json): string[] {
  const schema = inPlace(responses["200"]?.content["application/json"]?.schema ?? {}, schemas);
  const { items, data } = schema.properties as Readonly<Record<string, Shape | undefined>>;
  const names = Object.keys((items?.items ?? data)?.properties ?? {});
  return names.length === 0 ? [] : [`Gives ${items ? "items" : "data"} with ${names.join(", ")}.`];
}

interface Shape {
  readonly properties?: Json;
  readonly items?: Shape;
}
