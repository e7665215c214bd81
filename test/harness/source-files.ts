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
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, (node) => {
    const specifier = (node.source as Node | undefined)?.value;
    if (typeof specifier === "string") imports.push(readImport(file, node, specifier));
    if (node.type === "MemberExpression") globals.add(`${nameOf(node.object)}.${nameOf(node.property)}`);
    if (node.type === "NewExpression" && (node.arguments as unknown[]).length === 0) {
      globals.add(`new ${nameOf(node.callee)}()`);
    }
    if (node.type === "CallExpression") globals.add(`${nameOf(node.callee)}()`);
  });
  return { path: file, lines: text.split("\n").length - 1, imports, globals };
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
