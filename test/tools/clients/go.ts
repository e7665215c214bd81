import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Call, type Declaration, type Field, type Model, type Type, upperFirst } from "./model.ts";

/** A package that needs Go alone: what each client has, then the contract's types and calls. */
export async function writeGo({ declarations, calls }: Model): Promise<Record<string, string>> {
  const runtime = await readFile(path.join(import.meta.dirname, "runtime.go.txt"), "utf8");
  const written = new Writer(declarations);
  return {
    "go.mod": "module cardissuing\n\ngo 1.18\n",
    "client.go": runtime,
    "types.go": `package cardissuing\n\nimport "encoding/json"\n\nvar _ json.RawMessage\n\n${declarations
      .map((one) => written.declaration(one))
      .join("\n")}`,
    "calls.go": `package cardissuing\n\nimport (\n\t"context"\n\t"encoding/json"\n)\n\nvar _ json.RawMessage\n\n${calls.map((one) => written.call(one)).join("\n")}`,
  };
}

/** A name that other packages see: `card_id` is `CardId`. */
function toName(text: string): string {
  return upperFirst(text.replaceAll(/[-_.](\w)/g, (_, letter: string) => letter.toUpperCase()));
}

function toComment(text: string, indent = ""): string {
  return text === ""
    ? ""
    : `${text
        .split("\n")
        .map((line) => `${indent}// ${line}`)
        .join("\n")}\n`;
}

class Writer {
  readonly #plain: ReadonlySet<string>;

  /** Names of texts and numbers, which a pointer makes optional; as it does an object. */
  constructor(declarations: readonly Declaration[]) {
    const open = declarations.filter(
      (one) => "type" in one && /^(json\.|\[\]|map)/.test(this.#type(one.type)),
    );
    this.#plain = new Set(open.map(({ name }) => name));
  }

  declaration(declaration: Declaration): string {
    const { name, description } = declaration;
    const head = toComment(description);
    if ("type" in declaration) return `${head}type ${name} ${this.#type(declaration.type)}\n`;
    return `${head}type ${name} struct {\n${declaration.fields.map((field) => this.#field(field)).join("")}}\n`;
  }

  #field({ name, type, isRequired, description }: Field): string {
    const written = this.#type(type);
    const optional =
      /^(json\.|\[\]|map|any)/.test(written) || this.#plain.has(written) ? written : `*${written}`;
    const tag = isRequired ? name : `${name},omitempty`;
    return `${toComment(description, "\t")}\t${toName(name)} ${isRequired ? written : optional} \`json:"${tag}"\`\n`;
  }

  /** A choice of several types is the JSON that came. */
  #type(type: Type): string {
    switch (type.kind) {
      case "named":
        return type.name;
      case "list":
        return `[]${this.#type(type.of)}`;
      case "map":
        return `map[string]${this.#type(type.of)}`;
      case "literal":
        return (
          { string: "string", number: "int64", boolean: "bool" }[typeof type.values[0] as "string"] ?? "any"
        );
      case "union":
        return this.#union(type.of);
      default:
        return {
          string: "string",
          integer: "int64",
          number: "float64",
          boolean: "bool",
          null: "any",
          any: "any",
        }[type.kind];
    }
  }

  #union(of: readonly Type[]): string {
    const others = of.filter(({ kind }) => kind !== "null");
    const [one] = others;
    if (others.length > 1 || !one) return "json.RawMessage";
    const written = this.#type(one);
    return /^(json\.|\[\]|map|any|\*)/.test(written) ? written : `*${written}`;
  }

  call(call: Call): string {
    const { body, isList, isKeyed, query, formats } = call;
    const name = toName(call.id);
    const answer = this.#type(call.answer);
    const sent = body && this.#type(body.type);
    const sentType = sent && (body.isLines ? `[]${sent}` : body.isOptional ? `*${sent}` : sent);
    const parameters = [
      "ctx context.Context",
      ...call.pathNames.map((one) => `${one} string`),
      ...(sentType ? [`body ${sentType}`] : []),
      ...(query.length > 0 ? [`query ${name}Query`] : []),
    ].join(", ");
    const path = [...call.path.split(/(\{\w+\})/)]
      .filter(Boolean)
      .map((part) => (part.startsWith("{") ? `part(${part.slice(1, -1)})` : JSON.stringify(part)));
    const given = [
      `method: "${call.method}"`,
      `path: ${path.join(" + ")}`,
      ...(query.length > 0 ? ["query: query"] : []),
      ...(body
        ? [body.isLines ? "lines: toLines(body)" : body.isOptional ? "body: orEmpty(body)" : "body: body"]
        : []),
      ...(isKeyed ? ["isKeyed: true"] : []),
    ].join(", ");
    const returned = isList ? `Page[${answer}]` : answer;
    const types =
      query.length > 0
        ? `type ${name}Query struct {\n${query.map((field) => this.#field(field)).join("")}}\n\n`
        : "";
    const document = formats.length > 0 ? this.#documentCall(call, parameters, given) : "";
    return `${types}// ${name}: ${call.summary}. ${call.method} ${call.path}
func (c *Client) ${name}(${parameters}) (${returned}, error) {
\tvar answer ${isList ? returned : `struct{ Data ${answer} }`}
\terr := c.call(ctx, request{${given}}, &answer)
\treturn answer${isList ? "" : ".Data"}, err
}
${document}`;
  }

  #documentCall(call: Call, parameters: string, given: string): string {
    const name = `${toName(call.id)}As`;
    return `
// ${name} answers ${call.formats.join(", ")}.
// What is made in the background yet is JSON: look at its media type.
func (c *Client) ${name}(${parameters}, format string) (Document, error) {
\treturn c.document(ctx, request{${given}, format: format})
}
`;
  }
}
