import { SaxesParser } from "saxes";
import { decodeXml, XmlError } from "./decode-xml.ts";

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly text: string;
}

interface OpenElement extends Element {
  readonly children: Element[];
  text: string;
}

export const largestBytes = 32 * 1024 * 1024;
const deepest = 40;

/**
 * Reads the `Document`s of a file, whatever envelope they are in, and gives each element that
 * `takes` names to `visit` as soon as it ends, with its ancestors from the Document on and the
 * Document's namespace. Elements of other namespaces are left out.
 * @throws XmlError with the place, also for a document type: no entity is ever expanded
 */
export function readXml(
  bytes: Uint8Array,
  takes: ReadonlySet<string>,
  visit: (element: Element, ancestors: readonly Element[], namespace: string) => void,
): void {
  if (bytes.length > largestBytes) throw new XmlError(`The file is larger than ${largestBytes} bytes.`);
  const open: OpenElement[] = [];
  let namespace = "";
  let depth = 0;
  /** The depth from which on elements are of other namespaces. */
  let foreignFrom = Number.POSITIVE_INFINITY;
  const parser = new SaxesParser({ xmlns: true, position: true });
  const fail = (reason: string): never => {
    throw new XmlError(`${reason} (line ${parser.line}, column ${parser.column})`);
  };
  parser.on("error", ({ message }) => fail(message.replace(/^\d+:\d+: /, "")));
  parser.on("doctype", () => fail("It has a document type declaration, which is not allowed."));
  parser.on("opentag", ({ local, uri, attributes }) => {
    depth += 1;
    if (depth > deepest) fail(`Its elements are nested more than ${deepest} deep.`);
    if (open.length === 0 && local === "Document") namespace = uri;
    else if (open.length === 0) return;
    if (uri !== namespace) foreignFrom = Math.min(foreignFrom, depth);
    if (depth >= foreignFrom) return;
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    open.push({
      name: local,
      attributes: Object.fromEntries(values),
      children: [],
      line: parser.line,
      text: "",
    });
  });
  const addText = (text: string) => {
    const element = open.at(-1);
    if (element !== undefined && depth < foreignFrom) element.text += text;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    depth -= 1;
    if (depth + 1 >= foreignFrom) {
      if (depth < foreignFrom) foreignFrom = Number.POSITIVE_INFINITY;
      return;
    }
    const element = open.pop();
    if (element === undefined) return;
    if (takes.has(element.name)) visit(element, open, namespace);
    else open.at(-1)?.children.push(element);
  });
  for (const part of decodeXml(bytes)) parser.write(part);
  parser.close();
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

/** Without white space that means nothing. */
export function toText(
  { name, attributes, children, text }: Element,
  toValue: (text: string) => string = (given) => given,
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  const inner =
    children.length > 0
      ? children.map((child) => toText(child, toValue)).join("")
      : escapeText(toValue(text.trim()));
  return `<${name}${given.join("")}>${inner}</${name}>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
