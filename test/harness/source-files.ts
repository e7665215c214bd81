import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";

const root = path.resolve(import.meta.dirname, "../..");

/** A TypeScript file of the project, read for what it takes from elsewhere. */
export interface SourceFile {
  /** From the root of the project, with forward slashes. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Globals and their members as they are used, for example `process.env`, `Math.random`, `new Date()`. */
  readonly globals: ReadonlySet<string>;
  /** Numbers that stand where an enum's code should be named, for example `status === 2`. */
  readonly bareCodes: readonly string[];
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
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readSource(path.posix.join(folder, file.replaceAll(path.sep, "/"))))
    .toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** A node of the syntax tree; which members it has depends on its type. */
interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

function readSource(file: string): SourceFile {
  const text = readFileSync(path.join(root, file), "utf8");
  const imports: Import[] = [];
  const globals = new Set<string>();
  const bareCodes: string[] = [];
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, (node) => {
    const specifier = (node.source as Node | undefined)?.value;
    if (typeof specifier === "string") imports.push(readImport(file, node, specifier));
    if (node.type === "MemberExpression") globals.add(`${nameOf(node.object)}.${nameOf(node.property)}`);
    if (node.type === "NewExpression" && (node.arguments as unknown[]).length === 0) {
      globals.add(`new ${nameOf(node.callee)}()`);
    }
    if (node.type === "CallExpression") globals.add(`${nameOf(node.callee)}()`);
    if (holdsBareCode(node)) bareCodes.push(text.slice(node.start as number, node.end as number));
  });
  return { path: file, lines: text.split("\n").length - 1, imports, globals, bareCodes };
}

/** Names of what holds a code. `from` and `to` are those of transition tables; a process ends with an exit code. */
const coded =
  /^(?!exit)(status|type|code|currency|gender|priority|from|to|.*(Status|Type|Code|Currency|CurrencyId|Form|Result|Approval|KycEnabled))$/;
const comparisons = new Set<unknown>(["===", "!==", "<", "<=", ">", ">="]);
/** Calls whose arguments are values as they are. */
const transparentCalls = new Set(["default", "includes", "integerEnum", "literal", "queryEnum", "Set"]);

function holdsBareCode(node: Node): boolean {
  switch (node.type) {
    case "Property":
      // A card design's slot is a number, not a code.
      if (nameOf(node.key) === "cardType") return false;
      return isSmallNumber(node.key) || (coded.test(nameOf(node.key)) && isBare(node.value));
    case "BinaryExpression":
      return (
        comparisons.has(node.operator) &&
        [node.left, node.right].some(
          (side, index, sides) => coded.test(lastName(side)) && isBare(sides[1 - index]),
        )
      );
    case "AssignmentPattern":
      return coded.test(lastName(node.left)) && isBare(node.right);
    case "VariableDeclarator": {
      const { id, init } = node as unknown as { id: Node; init: Node | null };
      return isBare(init) && (coded.test(nameOf(id)) || mentionsCode(id.typeAnnotation));
    }
    case "TSPropertySignature":
    case "TSTypeAliasDeclaration":
      return coded.test(nameOf(node.key ?? node.id)) && isBare(node.typeAnnotation);
    case "Identifier":
      return coded.test(nameOf(node)) && isBare(node.typeAnnotation);
    default:
      return false;
  }
}

function mentionsCode(typeAnnotation: unknown): boolean {
  let mentions = false;
  visit(typeAnnotation, (node) => {
    if (node.type === "TSTypeReference") mentions ||= coded.test(nameOf(node.typeName));
  });
  return mentions;
}

/** A number below 100 (above are the statuses of HTTP), a choice or a list of such, or a type of them. */
function isBare(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  return isSmallNumber(node) || alternatives(node as Node).some(isBare);
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

function isSmallNumber(node: unknown): boolean {
  const { type, value } = node as Node;
  return type === "Literal" && typeof value === "number" && value < 100;
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
