import * as z from "zod";
import { authorityCommands } from "../../../shared/contract/authority.ts";
import { operatorCommands } from "../../../shared/contract/operator.ts";
import { didYouMean } from "../../command-line/did-you-mean.ts";
import { UsageError } from "../../command-line/options.ts";

interface OperatorCommand {
  readonly name: string;
  readonly about: string;
  readonly input: z.ZodType;
}

const all: Readonly<Record<string, Omit<OperatorCommand, "name">>> = {
  ...operatorCommands,
  ...authorityCommands,
};

/** @throws UsageError that names the nearest command */
export function findCommand(name: string): OperatorCommand {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return { name, ...found };
  throw new UsageError(
    `There is no command "${name}".${didYouMean(name, [...Object.keys(all), "dead-letters"])}`,
  );
}

/** A line for each: its name and the first sentence of what it does. */
export function listCommands(): string {
  const deadLetters = {
    about: "Messages that failed at every attempt: counts, shows, puts back or discards them.",
  };
  const listed = { ...all, "dead-letters": deadLetters };
  const width = Math.max(...Object.keys(listed).map((name) => name.length));
  const rows = Object.entries(listed).map(([name, { about }]) => {
    const [sentence = about] = /^.*?[.](?= |$)/.exec(about) ?? [];
    return `  ${name.padEnd(width)}  ${sentence}`;
  });
  return rows.join("\n");
}

interface Field {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly anyOf?: readonly Field[];
  readonly items?: Field;
}

interface Form {
  readonly properties: Readonly<Record<string, Field>>;
  readonly required: readonly string[];
}

/** What it does, its fields, and an example for each form that its input can have. */
export function describeCommand({ name, about, input }: OperatorCommand): string {
  const forms = readForms(input);
  const parts = forms.map((form) =>
    [...describeFields(form), "", `  ${writeExample(name, form)}`].join("\n"),
  );
  return [
    `Usage: npm run operator -- ${name} ['<JSON>'] [--<field> <value>…] [--environment <name>]`,
    about,
    parts.join("\n\nor\n\n"),
  ].join("\n\n");
}

function readForms(input: z.ZodType): Form[] {
  const schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as Partial<Form> & {
    readonly anyOf?: readonly Partial<Form>[];
    readonly oneOf?: readonly Partial<Form>[];
  };
  const forms = schema.anyOf ?? schema.oneOf ?? [schema];
  return forms.map(({ properties = {}, required = [] }) => ({ properties, required }));
}

function describeFields({ properties, required }: Form): string[] {
  const names = Object.keys(properties);
  if (names.length === 0) return ["  It takes no fields."];
  const width = Math.max(...names.map((name) => name.length));
  return Object.entries(properties).map(([name, field]) => {
    const isNeeded = required.includes(name) ? "" : ", optional";
    const standard = field.default === undefined ? "" : `, default ${JSON.stringify(field.default)}`;
    return `  --${name.padEnd(width)}  ${explain(field).type}${isNeeded}${standard}`;
  });
}

/** What a field takes, in words and as an example. */
function explain(field: Field): { readonly type: string; readonly example: unknown } {
  const prefix = readPrefix(field);
  if (prefix !== undefined) return { type: `an id, ${prefix}…`, example: `${prefix}…` };
  if (field.const !== undefined) return { type: JSON.stringify(field.const), example: field.const };
  if (field.enum !== undefined) return { type: `one of ${field.enum.join(", ")}`, example: field.enum[0] };
  const { type, format = "", minimum, maximum } = field;
  if (type === "array") return { type: "JSON, a list", example: [explain(field.items ?? {}).example] };
  if (type === "object") return { type: "JSON, an object", example: {} };
  if (type === "boolean") return { type: "true or false", example: true };
  if (type === "integer" || type === "number") {
    const range = minimum !== undefined && maximum !== undefined ? ` from ${minimum} to ${maximum}` : "";
    return { type: `a whole number${range}`, example: Math.max(1, minimum ?? 1) };
  }
  const example = format === "email" ? "them@customer.example" : "…";
  return { type: format === "" ? "text" : (formats[format] ?? format), example };
}

const formats: Readonly<Record<string, string>> = { email: "an e-mail address", uri: "a URL" };

function readPrefix({ pattern }: Field): string | undefined {
  return /^\^([a-z]{3}_)\[/.exec(pattern ?? "")?.[1];
}

/** With the fields that it needs. */
function writeExample(name: string, { properties, required }: Form): string {
  if (required.length === 0) return `npm run operator -- ${name}`;
  const input = Object.fromEntries(
    required.map((field) => [field, explain(properties[field] ?? {}).example]),
  );
  return `npm run operator -- ${name} '${JSON.stringify(input)}'`;
}

/**
 * The input as JSON, as options `--field value`, or none. @throws UsageError for one that the
 * command does not take, with each fault
 */
export function readInput(
  command: OperatorCommand,
  json: string | undefined,
  options: readonly string[],
): unknown {
  if (json !== undefined && options.length > 0)
    throw new UsageError("Give the input as JSON or as options, not as both.");
  const input = json === undefined ? readFields(command, options) : parseInput(json);
  const read = command.input.safeParse(input);
  const unknown = unknownFields(command, input);
  if (read.success && unknown.length === 0) return input;
  const faults = (read.error?.issues ?? []).map(
    ({ path, message }) => `  ${path.join(".") || "input"}: ${message}`,
  );
  const all = [...new Set([...faults, ...unknown])].join("\n");
  throw new UsageError(`${command.name} does not take this input:\n${all}`);
}

/** The function ignores them, so that a misspelt one would be taken for what it asked. */
function unknownFields({ input }: OperatorCommand, given: unknown): string[] {
  const names = readForms(input).flatMap(({ properties }) => Object.keys(properties));
  const others = Object.keys(Object(given)).filter((name) => !names.includes(name));
  return others.map((name) => `  ${name}: is not a field of it.${didYouMean(name, names)}`);
}

function readFields({ input }: OperatorCommand, options: readonly string[]): Record<string, unknown> {
  const properties: Readonly<Record<string, Field>> = Object.assign(
    {},
    ...readForms(input).map((one) => one.properties),
  );
  const fields: Record<string, unknown> = {};
  for (let index = 0; index < options.length; index += 1) {
    const [, name = "", given] = /^--([A-Za-z]+)(?:=(.*))?$/s.exec(options[index] ?? "") ?? [];
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined) {
      const names = Object.keys(properties).map((one) => `--${one}`);
      const [option = ""] = (options[index] ?? "").split("=");
      throw new UsageError(
        `There is no option ${option} here. The command takes ${names.join(", ") || "none"}.${didYouMean(option, names)}`,
      );
    }
    index += given === undefined ? 1 : 0;
    const value = given ?? options[index];
    if (value === undefined) throw new UsageError(`--${name} has no value.`);
    fields[name] = field.type === undefined || field.type === "string" ? value : parseValue(value);
  }
  return fields;
}

/** A number, true, false, a list or an object; the schema says what is wrong with other text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The input is not JSON: ${text}`);
  }
}
