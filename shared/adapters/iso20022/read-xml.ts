import { SaxesParser } from "saxes";

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  /** Where it begins, counted from 1. */
  readonly line: number;
  text: string;
}

export class XmlError extends Error {
  override readonly name = "XmlError";
}

export const largestBytes = 32 * 1024 * 1024;
const deepest = 40;

/**
 * Reads a document, and gives each element that `takes` names to `visit`, with its ancestors from
 * the root on, as soon as it ends. Elements of other namespaces than the root's are left out.
 * @throws XmlError with the place, also for a document type: no entity is ever expanded
 */
export function readXml(
  bytes: Uint8Array,
  takes: ReadonlySet<string>,
  visit: (element: Element, ancestors: readonly Element[], namespace: string) => void,
): void {
  if (bytes.length > largestBytes) throw new XmlError(`The file is larger than ${largestBytes} bytes.`);
  const open: Element[] = [];
  let namespace: string | undefined;
  /** How many open elements are of other namespaces. */
  let foreign = 0;
  const parser = new SaxesParser({ xmlns: true, position: true });
  const fail = (reason: string): never => {
    throw new XmlError(`${reason} (line ${parser.line}, column ${parser.column})`);
  };
  parser.on("error", ({ message }) => fail(message.replace(/^\d+:\d+: /, "")));
  parser.on("doctype", () => fail("It has a document type declaration, which is not allowed."));
  parser.on("xmldecl", ({ encoding = "UTF-8" }) => {
    if (!/^(utf-8|us-ascii)$/i.test(encoding)) fail(`Its encoding is ${encoding}; it must be UTF-8.`);
  });
  parser.on("opentag", ({ local, uri, attributes }) => {
    namespace ??= uri;
    if (foreign > 0 || uri !== namespace) {
      foreign += 1;
      return;
    }
    if (open.length >= deepest) fail(`Its elements are nested more than ${deepest} deep.`);
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    open.push({
      name: local,
      attributes: Object.fromEntries(values),
      children: [],
      line: parser.line,
      text: "",
    });
  });
  parser.on("text", (text) => addText(open, foreign, text));
  parser.on("cdata", (text) => addText(open, foreign, text));
  parser.on("closetag", () => {
    if (foreign > 0) {
      foreign -= 1;
      return;
    }
    const element = open.pop();
    if (element === undefined) return;
    if (takes.has(element.name)) visit(element, open, namespace ?? "");
    else open.at(-1)?.children.push(element);
  });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0; start < bytes.length || start === 0; start += chunkBytes) {
    const isLast = start + chunkBytes >= bytes.length;
    parser.write(decode(decoder, bytes.subarray(start, start + chunkBytes), !isLast));
  }
  parser.close();
}

const chunkBytes = 64 * 1024;

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw new XmlError("It is not UTF-8.");
  }
}

function addText(open: readonly Element[], foreign: number, text: string): void {
  const element = open.at(-1);
  if (element !== undefined && foreign === 0) element.text += text;
}

/** All elements at the path below this one. */
export function findAll(element: Element | undefined, ...path: readonly string[]): Element[] {
  const [name, ...rest] = path;
  if (element === undefined || name === undefined) return element ? [element] : [];
  return element.children.filter((child) => child.name === name).flatMap((child) => findAll(child, ...rest));
}

export function findFirst(element: Element | undefined, ...path: readonly string[]): Element | undefined {
  return findAll(element, ...path)[0];
}

/** Undefined if it is absent or blank. */
export function textAt(element: Element | undefined, ...path: readonly string[]): string | undefined {
  return findFirst(element, ...path)?.text.trim() || undefined;
}

/** For the operator. */
export function toText({ name, attributes, children, text }: Element): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  const inner = children.length > 0 ? children.map(toText).join("") : escapeText(text.trim());
  return `<${name}${given.join("")}>${inner}</${name}>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
