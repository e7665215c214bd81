import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Call, Declaration, Field, Model, Type } from "./model.ts";

/** One file that needs Python alone: what each client has, then the contract's types and calls. */
export async function writePython({ declarations, calls }: Model): Promise<Record<string, string>> {
  const runtime = await readFile(path.join(import.meta.dirname, "runtime.py"), "utf8");
  const methods = calls.flatMap(toMethods).join("\n");
  const types = declarations.map(toDeclaration).join("\n");
  const text = runtime
    .replace("# The contract's types.\n", () => types)
    .replace(/ *# The contract's calls\.\n/, () => methods);
  return { "card_issuing.py": text };
}

const words = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

function toDeclaration(declaration: Declaration): string {
  const { name, description } = declaration;
  if ("type" in declaration)
    return `${name}: TypeAlias = ${toAlias(declaration.type)}\n${toDoc(description, "")}`;
  const { fields } = declaration;
  const isPlain = fields.every((field) => !words.has(field.name) && /^[A-Za-z_]\w*$/.test(field.name));
  if (!isPlain) {
    const entries = fields.map(
      (field) => `    ${JSON.stringify(field.name)}: ${JSON.stringify(toFieldType(field))},\n`,
    );
    return `${name} = TypedDict("${name}", {\n${entries.join("")}})\n`;
  }
  const lines = fields.map(
    (field) => `    ${field.name}: ${toFieldType(field)}\n${toDoc(field.description, "    ")}`,
  );
  return `\nclass ${name}(TypedDict):\n${toDoc(description, "    ")}${lines.join("") || "    pass\n"}\n`;
}

function toFieldType({ type, isRequired }: Field): string {
  return isRequired ? toType(type) : `NotRequired[${toType(type)}]`;
}

/** Aliases are evaluated in their order, so names in them are texts. */
function toAlias(type: Type): string {
  return type.kind === "literal" ? toType(type) : JSON.stringify(toType(type));
}

function toType(type: Type): string {
  switch (type.kind) {
    case "named":
      return type.name;
    case "list":
      return `list[${toType(type.of)}]`;
    case "map":
      return `dict[str, ${toType(type.of)}]`;
    case "literal":
      return `Literal[${type.values.map(toLiteral).join(", ")}]`;
    case "union":
      return `Union[${type.of.map(toType).join(", ")}]`;
    default:
      return { string: "str", integer: "int", number: "float", boolean: "bool", null: "None", any: "Any" }[
        type.kind
      ];
  }
}

function toLiteral(value: string | number | boolean): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

function toDoc(text: string, indent: string): string {
  return text === "" ? "" : `${indent}${JSON.stringify(text)}\n`;
}

const toSnake = (text: string) =>
  text.replaceAll("-", "_").replaceAll(/[A-Z]+/g, (found) => `_${found.toLowerCase()}`);

const toName = (name: string) => (words.has(name) ? `${name}_` : name);

function toMethods(call: Call): string[] {
  return call.formats.length > 0 ? [toMethod(call), toDocumentMethod(call)] : [toMethod(call)];
}

function toMethod(call: Call): string {
  const { answer, isList, isKeyed, body } = call;
  const sent = body && `${toType(body.type)}`;
  const parameters = [
    ...call.pathNames.map((name) => `${name}: str`),
    ...(body
      ? [
          body.isLines
            ? `lines: Iterable[${sent}]`
            : `body: ${sent}${body.isOptional ? " | None = None" : ""}`,
        ]
      : []),
  ];
  const options = [...toQuery(call), ...(isKeyed ? ["idempotency_key: str | None = None"] : [])];
  const given = [
    ...(body ? [body.isLines ? "lines=lines" : "body=body"] : []),
    ...(isKeyed ? ["key=idempotency_key or str(uuid.uuid4())"] : []),
    ...toQueryArgument(call),
  ];
  const returned = isList ? `Page[${toType(answer)}]` : toType(answer);
  return writeMethod(call, { name: toSnake(call.id), parameters, options, returned, given });
}

/** The answer in another format; one that is made in the background yet is its JSON. */
function toDocumentMethod(call: Call): string {
  const format = `format: Literal[${call.formats.map(toLiteral).join(", ")}]`;
  const query = [
    ...call.query.map(({ name }) => `${JSON.stringify(name)}: ${toName(name)}`),
    '"format": format',
  ];
  const parameters = [...call.pathNames.map((name) => `${name}: str`), format];
  const name = `${toSnake(call.id)}_as`;
  const returned = `bytes | ${call.isList ? "dict[str, Any]" : toType(call.answer)}`;
  return writeMethod(call, {
    name,
    parameters,
    options: toQuery(call),
    returned,
    given: [`query={${query.join(", ")}}`],
  });
}

function toQuery({ query }: Call): string[] {
  return query.map(({ name, type }) => `${toName(name)}: ${toType(type)} | None = None`);
}

function toQueryArgument({ query }: Call): string[] {
  const entries = query.map(({ name }) => `${JSON.stringify(name)}: ${toName(name)}`);
  return entries.length > 0 ? [`query={${entries.join(", ")}}`] : [];
}

interface Method {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly options: readonly string[];
  readonly returned: string;
  readonly given: readonly string[];
}

function writeMethod(call: Call, { name, parameters, options, returned, given }: Method): string {
  const all = ["self", ...parameters, ...(options.length > 0 ? ["*", ...options] : [])];
  const place = JSON.stringify(call.path).replaceAll(/\{(\w+)\}/g, "{_part($1)}");
  const path = call.pathNames.length > 0 ? `f${place}` : place;
  return [
    `    def ${name}(${all.join(", ")}) -> ${returned}:`,
    `        ${JSON.stringify(`${call.summary}. ${call.method} ${call.path}`)}`,
    `        return self.call(${[JSON.stringify(call.method), path, ...given].join(", ")})`,
    "",
  ].join("\n");
}
