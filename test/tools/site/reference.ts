import { readFileSync } from "node:fs";
import type { Page } from "./pages.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}
interface Content {
  readonly content?: Readonly<
    Record<string, { schema: Schema; examples?: { recorded?: { value: unknown } } }>
  >;
}
interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    name?: string;
    in?: string;
    required?: boolean;
    description?: string;
    schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}
interface Reference {
  readonly tags: readonly { name: string; description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The OpenAPI document as a page for each tag, so that the search finds it. */
export function referencePages(): Page[] {
  const reference = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as Reference;
  const operations = Object.entries(reference.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      key: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  return reference.tags.flatMap(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    if (own.length === 0) return [];
    const sections = own.map(({ key, operation }) => section(key, operation, reference));
    const text = [`# ${titleOf(name)}\n`, `${description}\n`, ...sections].join("\n");
    return [{ file: `docs/reference/${name}.md`, title: titleOf(name), about: description, text }];
  });
}

function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
}

function section(key: string, operation: Operation, reference: Reference): string {
  const { summary, parameters = [], requestBody, responses } = operation;
  const given = parameters.flatMap(({ name, in: place, required, description, schema }) =>
    name === undefined
      ? []
      : [row(`\`${name}\` (${place})`, typeOf(schema), required, description ?? schema.description)],
  );
  const [, sent] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const [form, answered] = Object.entries(responses["200"]?.content ?? {})[0] ?? [];
  const codes = Object.values(responses).flatMap(({ $ref }) => $ref?.split("/").at(-1)?.split(".") ?? []);
  const errors = codes.map((code) => `[\`${code}\`](../errors.md#${code.toLowerCase()})`).join(", ");
  return [
    `## ${summary}\n\n\`${key}\`\n`,
    table("Parameters", given),
    sent ? table("Body", rowsOf(sent.schema, reference, "")) : "",
    sent ? example(sent.examples?.recorded?.value) : "",
    form === "application/json" && answered
      ? table("Answer", rowsOf(answerOf(answered.schema), reference, ""))
      : "",
    form === "application/json" && answered ? example(answered.examples?.recorded?.value) : "",
    `Errors: ${errors}.\n`,
  ]
    .filter(Boolean)
    .join("\n");
}

/** Of the envelope only what differs between operations. */
function answerOf({ properties = {} }: Schema): Schema {
  return properties.data ?? properties.items?.items ?? {};
}

function rowsOf(
  schema: Schema,
  reference: Reference,
  within: string,
  seen: readonly string[] = [],
): string[] {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined && seen.includes(name)) return [];
  const own = name === undefined ? schema : (reference.components.schemas[name] ?? {});
  const trail = name === undefined ? seen : [...seen, name];
  return Object.entries(own.properties ?? {}).flatMap(([field, of]) => {
    const place = `${within}${field}`;
    const inner = of.items
      ? rowsOf(of.items, reference, `${place}[].`, trail)
      : rowsOf(of, reference, `${place}.`, trail);
    return [row(`\`${place}\``, typeOf(of), own.required?.includes(field), of.description), ...inner];
  });
}

function typeOf({ $ref, type, enum: values, const: only, items }: Schema): string {
  if ($ref !== undefined) return $ref.split("/").at(-1) ?? "";
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  return items ? `list of ${typeOf(items)}` : [type ?? ""].flat().join(" or ");
}

function row(name: string, type: string, required: boolean | undefined, about = ""): string {
  const cell = (text: string) =>
    text.replace(/\s+/g, " ").replace(/[|<{]/g, (one) => `&#${one.charCodeAt(0)};`);
  return `| ${name} | ${type} | ${required ? "yes" : ""} | ${withoutCode(about, cell)} |`;
}

/** Code keeps its characters: the page's generator shows them as they are. */
function withoutCode(text: string, cell: (text: string) => string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part.replace(/\|/g, "\\|").replace(/\s+/g, " ") : cell(part)))
    .join("")
    .replaceAll("](errors.md)", "](../errors.md)");
}

function table(title: string, rows: readonly string[]): string {
  return rows.length === 0
    ? ""
    : `**${title}**\n\n| | type | always | |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function example(value: unknown): string {
  return value === undefined ? "" : `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
}
