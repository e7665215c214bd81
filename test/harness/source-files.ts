import { createHash, randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseAst } from "vitest/node";
import { enumFields } from "./enum-fields.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** A TypeScript file of the project, read for what it takes from elsewhere. */
export interface SourceFile {
  /** From the root of the project, with forward slashes. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Globals and members in use: `process.env`, `Math.random`, `new Date()`. */
  readonly globals: ReadonlySet<string>;
  /** Numbers in the place of an enum's code, for example `status === 2`. */
  readonly bareCodes: readonly string[];
  /** Partition keys that are spelled out outside an entity's declaration. */
  readonly strayKeys: readonly string[];
  /** Functions of more than 60 lines, as `name: lines`. */
  readonly longFunctions: readonly string[];
  /** Lines of comments beyond column 100. */
  readonly wideComments: readonly string[];
  /** Comments that say whose or what for a thing is, but not what it is or does. */
  readonly fragments: readonly string[];
}

export interface Import {
  /** A file of the project by its path, else the package or built-in module by its name. */
  readonly target: string;
  readonly isLocal: boolean;
  readonly isType: boolean;
  readonly names: readonly string[];
}

/** Every TypeScript file under the folder, `node_modules` aside. */
export function sourceFiles(folder: string): SourceFile[] {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, "/")));
  // Processes that read the same files begin at different ones, and share what they found.
  const first = randomInt(files.length);
  return [...files.slice(first), ...files.slice(0, first)]
    .map(readSource)
    .toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** A node of the syntax tree; which members it has depends on its type. */
interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const reader = readFileSync(import.meta.filename, "utf8");

/** Parsing takes most of the time of the tests of the architecture: a file is parsed once a run. */
function readSource(file: string): SourceFile {
  const text = readFileSync(path.join(root, file), "utf8");
  const hash = createHash("sha1").update(reader).update(file).update(text).digest("hex");
  const kept = path.join(tmpdir(), `source-${hash}.json`);
  if (existsSync(kept)) {
    const { globals, ...found } = JSON.parse(readFileSync(kept, "utf8"));
    return { ...found, globals: new Set(globals) };
  }
  const found = parseSource(file, text);
  const whole = `${kept}.${process.pid}`;
  writeFileSync(whole, JSON.stringify({ ...found, globals: [...found.globals] }));
  renameSync(whole, kept);
  return found;
}

const maximumFunctionLines = 60;
const maximumCommentColumns = 100;
/** At the beginning of a comment: not of a later line of one. */
const fragment = /(?:\/\*\*?\s+(?:\*\s+)?|(?<!\/\/[^\n]*\n\s*)\/\/ )((?:Of|For) [^\n]*)/g;

export function parseSource(file: string, text: string): SourceFile {
  const imports: Import[] = [];
  const globals = new Set<string>();
  const bareCodes: string[] = [];
  const longFunctions: string[] = [];
  const declarations: Node[] = [];
  const spelledKeys: Node[] = [];
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, (node) => {
    const specifier = (node.source as Node | undefined)?.value;
    if (typeof specifier === "string") imports.push(readImport(file, node, specifier));
    if (node.type === "MemberExpression") globals.add(`${nameOf(node.object)}.${nameOf(node.property)}`);
    if (node.type === "NewExpression" && (node.arguments as unknown[]).length === 0) {
      globals.add(`new ${nameOf(node.callee)}()`);
    }
    if (node.type === "CallExpression") globals.add(`${nameOf(node.callee)}()`);
    const source = text.slice(node.start as number, node.end as number);
    if (node.type === "CallExpression" && declaresKey.has(nameOf(node.callee))) declarations.push(node);
    if (node.type === "Property" && nameOf(node.key) === "pk" && isText(node.value)) spelledKeys.push(node);
    if (holdsBareCode(node)) bareCodes.push(source);
    const lines = /Function/.test(node.type) ? source.split("\n").length : 0;
    if (lines > maximumFunctionLines) longFunctions.push(`${source.split("\n")[0]} ${lines} lines`);
  });
  const lines = text.split("\n");
  const wideComments = lines.filter(
    (line) => /^\s*(\/\*\*|\*|\/\/) /.test(line) && line.length > maximumCommentColumns,
  );
  const fragments = [...text.matchAll(fragment)].map(([, found = ""]) => found);
  const strayKeys = spelledKeys
    .filter((key) => !declarations.some((call) => isWithin(key, call)))
    .map((key) => text.slice(key.start as number, key.end as number));
  const found = { strayKeys, imports, globals, bareCodes, longFunctions, wideComments, fragments };
  return { path: file, lines: lines.length - 1, ...found };
}

const declaresKey = new Set(["defineEntity", "declareKey"]);
const isText = (value: unknown) => /^(Literal|TemplateLiteral)$/.test((value as Node).type);

function isWithin(inner: Node, outer: Node): boolean {
  return Number(inner.start) >= Number(outer.start) && Number(inner.end) <= Number(outer.end);
}

/** Fields that hold codes. `from` and `to` belong to transition tables. */
const codeName =
  /^(?!exit)(status|type|code|currency|from|to|.*(Status|Type|Code|Currency|CurrencyId|Form|Result|Approval))$/;
const comparisons = new Set<unknown>(["===", "!==", "<", "<=", ">", ">="]);
/** Calls whose arguments are values as they are. */
const transparentCalls = new Set(["default", "includes", "integerEnum", "literal", "queryEnum", "Set"]);

/** The numbers that must not stand under a name. Elsewhere, 100 and above are statuses of HTTP. */
function forbiddenUnder(name: string): (number: number) => boolean {
  if (enumFields.has(name) && name !== "status") return () => true;
  return codeName.test(name) || enumFields.has(name) ? (number) => number < 100 : () => false;
}

function holdsBareCode(node: Node): boolean {
  const isBareUnder = (name: string, value: unknown) => isBare(value, forbiddenUnder(name));
  switch (node.type) {
    case "Property":
      // A card design's slot is a number, not a code.
      if (nameOf(node.key) === "cardType") return false;
      return isNumber(node.key, (key) => key < 100) || isBareUnder(nameOf(node.key), node.value);
    case "BinaryExpression":
      return (
        comparisons.has(node.operator) &&
        [node.left, node.right].some((side, index, sides) => isBareUnder(lastName(side), sides[1 - index]))
      );
    case "AssignmentPattern":
      return isBareUnder(lastName(node.left), node.right);
    case "CallExpression": {
      const { callee, arguments: values } = node as unknown as { callee: Node; arguments: unknown[] };
      return (
        lastName(callee) === "includes" && values.some((value) => isBareUnder(lastName(callee.object), value))
      );
    }
    case "VariableDeclarator": {
      const { id, init } = node as unknown as { id: Node; init: Node | null };
      return isBareUnder(nameOf(id), init) || (mentionsCode(id.typeAnnotation) && isBare(init, () => true));
    }
    case "TSPropertySignature":
    case "TSTypeAliasDeclaration":
      return isBareUnder(nameOf(node.key ?? node.id), node.typeAnnotation);
    case "Identifier":
      return isBareUnder(nameOf(node), node.typeAnnotation);
    default:
      return false;
  }
}

function mentionsCode(typeAnnotation: unknown): boolean {
  let mentions = false;
  visit(typeAnnotation, (node) => {
    if (node.type === "TSTypeReference") mentions ||= codeName.test(nameOf(node.typeName));
  });
  return mentions;
}

/** Whether it is a forbidden number, a choice or a list of such, or a type of them. */
function isBare(node: unknown, isForbidden: (number: number) => boolean): boolean {
  if (typeof node !== "object" || node === null) return false;
  return isNumber(node, isForbidden) || alternatives(node as Node).some((one) => isBare(one, isForbidden));
}

function alternatives(node: Node): readonly unknown[] {
  switch (node.type) {
    case "ArrayExpression":
      return node.elements as unknown[];
    case "ConditionalExpression":
      return [node.consequent, node.alternate];
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return [node.expression];
    case "TSTypeAnnotation":
      return [node.typeAnnotation];
    case "TSUnionType":
      return node.types as unknown[];
    case "TSLiteralType":
      return [node.literal];
    case "NewExpression":
    case "CallExpression":
      return transparentCalls.has(lastName(node.callee)) ? (node.arguments as unknown[]) : [];
    default:
      return [];
  }
}

function isNumber(node: unknown, test: (number: number) => boolean): boolean {
  const { type, value } = node as Node;
  return type === "Literal" && typeof value === "number" && test(value);
}

/** The last name of `a.b.c`. */
function lastName(node: unknown): string {
  const { type, property, expression } = node as Node;
  if (type === "MemberExpression") return nameOf(property);
  return type === "ChainExpression" ? lastName(expression) : nameOf(node);
}

function readImport(file: string, node: Node, specifier: string): Import {
  const isLocal = specifier.startsWith(".");
  const specifiers = (node.specifiers ?? []) as Node[];
  return {
    target: isLocal ? path.posix.join(path.posix.dirname(file), specifier) : packageOf(specifier),
    isLocal,
    isType: node.importKind === "type" || node.exportKind === "type",
    names: specifiers.map((one) => nameOf(one.imported ?? one.local)),
  };
}

/** `@scope/name/part` is of the package `@scope/name`. */
function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function nameOf(node: unknown): string {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown };
  return String(name ?? value ?? "");
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) {
    for (const one of node) visit(one, see);
    return;
  }
  if (typeof (node as Node).type === "string") see(node as Node);
  for (const member of Object.values(node)) visit(member, see);
}
