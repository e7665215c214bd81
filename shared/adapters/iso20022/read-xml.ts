import { SaxesParser } from "saxes";
import type * as z from "zod";
import {
  type BankDebited,
  type BankEvent,
  type BankMoney,
  type BankRecord,
  type BankReferences,
  type BankStatus,
  isFiller,
} from "../../contract/bank.ts";
import { toAccountKey } from "../../contract/bank-account.ts";
import { withoutCardNumbers, withoutCardNumbersIn } from "../../contract/card-numbers.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { isIban } from "../../contract/iban.ts";
import { defined } from "../../platform/pick.ts";
import { sha256 } from "../../platform/sha256.ts";

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

export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** The names that a declaration has for an encoding, without hyphens and underscores. */
const named = {
  "UTF-8": /^UTF8$/,
  "US-ASCII": /^(US)?ASCII$/,
  "ISO-8859-1": /^(ISO88591|LATIN1)$/,
  "ISO-8859-15": /^(ISO885915|LATIN9)$/,
  "windows-1252": /^(WINDOWS|CP)1252$/,
  "UTF-16": /^UTF16$/,
  "UTF-16LE": /^UTF16LE$/,
  "UTF-16BE": /^UTF16BE$/,
} as const;

const marks: readonly (readonly [encoding: string, ...bytes: number[]])[] = [
  ["UTF-8", 0xef, 0xbb, 0xbf],
  ["UTF-16LE", 0xff, 0xfe],
  ["UTF-16BE", 0xfe, 0xff],
];

/** How `<` begins a file without a mark. */
const beginnings: typeof marks = [
  ["UTF-16LE", 0x3c, 0x00],
  ["UTF-16BE", 0x00, 0x3c],
];

const chunkBytes = 64 * 1024;

/**
 * The text of a file, in parts, exactly: by its byte order mark, and the encoding that it declares.
 * @throws XmlError if they differ, or the bytes are no text in it
 */
function* decodeXml(bytes: Uint8Array): Generator<string> {
  const begins = ([, ...begin]: readonly [string, ...number[]]) =>
    begin.every((byte, index) => bytes[index] === byte);
  const [found] = marks.find(begins) ?? beginnings.find(begins) ?? [];
  const encoding = findEncoding(bytes, found);
  const decode = chooseDecoder(encoding);
  const end = encoding.startsWith("UTF-16") ? bytes.length : findEnd(bytes);
  for (let start = 0; start < end; start += chunkBytes) {
    const isLast = start + chunkBytes >= end;
    let text: string;
    try {
      text = decode(bytes.subarray(start, Math.min(start + chunkBytes, end)), isLast);
    } catch {
      throw new XmlError(`It is not ${encoding}.`);
    }
    yield start > 0 ? text : text.replace(lateDeclaration, (all) => all.replace(/\S/g, " "));
  }
}

/** XML allows no blanks before it, which some banks write. What it says is known by then. */
const lateDeclaration = /^\s+<\?xml\s[^>]*\?>/;

/** Before the marks of an end that transfers from mainframes leave: NUL and ^Z. */
function findEnd(bytes: Uint8Array): number {
  return bytes.findLastIndex((byte) => byte !== 0 && byte !== 0x1a) + 1;
}

function findEncoding(bytes: Uint8Array, found: string | undefined): string {
  const begin = Buffer.from(bytes.subarray(0, 400)).toString("latin1").replaceAll("\0", "");
  if (/^[^<]{4}/.test(begin.replace(/[^\x21-\x7e]/g, "")))
    throw new XmlError("It is no XML: it does not begin with a tag.");
  const [, declared] = /^[^<]{0,3}\s*<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(begin) ?? [];
  if (declared === undefined) return found ?? "UTF-8";
  const plain = declared.toUpperCase().replace(/[-_]/g, "");
  const [encoding] = Object.entries(named).find(([, names]) => names.test(plain)) ?? [];
  if (encoding === undefined)
    throw new XmlError(
      `Its encoding is ${declared}; it must be UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 or windows-1252.`,
    );
  const isSame = found === undefined ? !encoding.startsWith("UTF-16") : found.startsWith(encoding);
  if (!isSame) throw new XmlError(`Its encoding is ${declared} by its declaration, but not by its bytes.`);
  return found ?? encoding;
}

function chooseDecoder(encoding: string): (chunk: Uint8Array, isLast: boolean) => string {
  if (encoding === "ISO-8859-1" || encoding === "US-ASCII")
    return (chunk) => {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
      if (encoding === "US-ASCII") requireNone(text, /[^\0-\x7f]/);
      return text;
    };
  const decoder = new TextDecoder(encoding, { fatal: true });
  if (encoding.startsWith("UTF")) return (chunk, isLast) => decoder.decode(chunk, { stream: !isLast });
  return (chunk) => {
    // As if more came: else some versions of Node read windows-1252 as ISO-8859-1.
    const text = decoder.decode(chunk, { stream: true });
    if (encoding === "windows-1252") requireNone(text, /[\x80-\x9f]/);
    return text;
  };
}

function requireNone(text: string, others: RegExp): void {
  if (others.test(text)) throw new Error("No character.");
}

/** An IBAN, or the account's number at the bank that the routing number names. */
export function accountIn(account: Element | undefined, bank: Element | undefined): string | undefined {
  const iban = textAt(account, "Id", "IBAN");
  if (iban !== undefined) return toAccountKey(iban);
  const number = toAccountKey(textAt(account, "Id", "Othr", "Id") ?? "");
  if (number === "" || isIban(number) || number.includes("/")) return number || undefined;
  const routing = [["ClrSysMmbId", "MmbId"], ["Othr", "Id"], ["BICFI"], ["BIC"]]
    .map((path) => textAt(bank, "FinInstnId", ...path))
    .find((one) => one !== undefined);
  return routing === undefined ? undefined : toAccountKey(`${routing}/${number}`);
}

const longestReference = 140;

/** Undefined also for what only fills the field. */
export function referenceAt(element: Element | undefined, ...path: readonly string[]): string | undefined {
  const written = textAt(element, ...path);
  if (written === undefined || isFiller(written)) return undefined;
  const reference = withoutCardNumbers(withoutControls(written));
  return reference.length > longestReference || isFiller(reference) ? undefined : reference;
}

const names: Readonly<Record<Exclude<keyof BankReferences, "accountServicer" | "entry">, string>> = {
  transaction: "TxId",
  endToEnd: "EndToEndId",
  instruction: "InstrId",
  message: "MsgId",
  clearing: "ClrSysRef",
  uetr: "UETR",
};

/** A payment has `Refs`. The original of a return has the same with `Orgnl` before each name. */
export function referencesIn(refs: Element | undefined, prefix = ""): BankReferences {
  const found = Object.entries(names).map(([key, name]) => [key, referenceAt(refs, `${prefix}${name}`)]);
  return Object.fromEntries(found.filter(([, reference]) => reference !== undefined));
}

/** Texts that the payer and the bank wrote beside the amount, in the order in which they count. */
const creditorReference = ["RmtInf", "Strd", "CdtrRefInf", "Ref"];
const texts = [
  ["RmtInf", "Ustrd"],
  ["RmtInf", "Strd", "AddtlRmtInf"],
  ["RmtInf", "Strd", "RfrdDocInf", "Nb"],
  ["RltdRmtInf", "RmtId"],
  ["AddtlTxInf"],
  ["AddtlNtryInf"],
  ["Refs", "EndToEndId"],
  ["Refs", "InstrId"],
  ["Refs", "PmtInfId"],
  ["Refs", "Prtry", "Ref"],
] as const;

const mostTexts = 100;
const longestText = 500;

/** What may name a Wallet or Card in these elements: references of creditors first. */
export function remittanceIn(...parts: readonly Element[]) {
  const read = (path: readonly string[]) =>
    parts
      .flatMap((part) => findAll(part, ...path))
      .map(({ text }) => withoutControls(text))
      .filter((text) => text !== "" && !isFiller(text));
  const structured = read(creditorReference);
  const all = withoutCardNumbersIn([...structured, ...texts.flatMap(read)].slice(0, mostTexts));
  const remittance = all.map((text) => Array.from(text).slice(0, longestText).join("").trim());
  return {
    remittance,
    ...(structured.length > 0 && { creditorReferences: remittance.slice(0, structured.length) }),
  };
}

function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

/**
 * `12.3` as 1230 cents, exactly; also `.50` and `+5.`, which XML allows. Undefined for what is no
 * positive decimal number, has more decimals than the currency, or is too large to be exact.
 */
export function toMinorUnits(decimal: string, currency: string): number | undefined {
  const [, whole = "", fraction = ""] = /^\+?0*(\d{0,18})(?:\.(\d{0,18}))?$/.exec(decimal) ?? [];
  const decimals = countDecimals(currency);
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const minor = Number(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : undefined;
}

/** Also nothing, as 0; `NaN` for what is no amount. */
export function toMinor({ text, attributes }: Element): number {
  const decimal = text.trim();
  if (/^\+?0*\.?0*$/.test(decimal) && decimal.includes("0")) return 0;
  return toMinorUnits(decimal, attributes.Ccy ?? "") ?? Number.NaN;
}

/** Undefined for what is no amount of money. */
export function exactMoneyIn(element: Element | undefined): BankMoney | undefined {
  const { amount, currency } = moneyIn(element);
  return typeof amount === "number" && currency !== undefined ? { amount, currency } : undefined;
}

/** Why a payment was refused or came back: of the first of these elements that says it. */
export function reasonIn(name: string, ...elements: readonly Element[]): { readonly reasonCode?: string } {
  const read = (one: Element) => textAt(one, name, "Rsn", "Cd") ?? textAt(one, name, "StsRsn", "Cd");
  const code = elements.map(read).find((one) => one !== undefined);
  return code !== undefined && /^[A-Z0-9]{4}$/.test(code) ? { reasonCode: code } : {};
}

/** It is the same however the elements are set. */
export function hashElements(elements: readonly Element[]): string {
  const toValue = (text: string) => withoutCardNumbers(text.replace(/\s+/g, " "));
  return sha256(elements.map((one) => toText(one, toValue)).join("\n"));
}

/** What cannot be converted stays as it is, so that the record is refused for it. */
export function moneyIn(amount: Element | undefined): { amount?: number | string; currency?: string } {
  if (amount === undefined) return {};
  const currency = amount.attributes.Ccy ?? "";
  const decimal = amount.text.trim();
  return { currency, amount: toMinorUnits(decimal, currency) ?? decimal };
}

export function isTrue(element: Element | undefined, name: string): boolean {
  return /^(true|1|y|yes)$/i.test(textAt(element, name) ?? "");
}

export function findAlong(element: Element, ...paths: readonly (readonly string[])[]): Element | undefined {
  return paths.map((path) => findFirst(element, ...path)).find((one) => one !== undefined);
}

export type Candidate = Readonly<Record<string, unknown>>;
export type Source = Pick<BankRecord, "input" | "line">;

/** The names of the fields in the file. */
const places: Readonly<Record<string, string>> = {
  account: "Acct/Id (an IBAN, or Othr/Id with the routing number in Acct/Svcr/FinInstnId/ClrSysMmbId/MmbId)",
  amount: "Amt",
  currency: "Amt/@Ccy",
};

export function toRecord(schema: z.ZodType<BankEvent>, candidate: Candidate, source: Source): BankRecord {
  const read = parse(schema, candidate);
  return typeof read === "string" ? { ...source, reason: read } : { ...source, event: read };
}

/** What the operator has to look at, unless it is of a payment that was ordered. */
export function toOrdered(
  schema: z.ZodType<BankDebited | BankStatus>,
  candidate: Candidate,
  source: Source,
  what: string,
): BankRecord {
  const read = parse(schema, candidate);
  if (typeof read === "string") return { ...source, reason: read };
  const { amount, currency } = read;
  const isMoney = amount !== undefined && currency !== undefined;
  const money = isMoney ? `: ${toDecimal(amount, countDecimals(currency))} ${currency}` : "";
  return { ...source, reason: `${what} of no payment that was ordered${money}.`, ordered: read };
}

/** What it is, or why it cannot be. What an entry has moved is on an account. */
function parse<Read>(schema: z.ZodType<Read>, candidate: Candidate): Read | string {
  const given = defined(candidate);
  const parsed = schema.safeParse(given);
  const isOfAccount = given.kind === "deposited" || given.kind === "debited";
  const missing = isOfAccount && given.account === undefined ? ["account"] : [];
  const faults = [...missing, ...(parsed.error?.issues.map(({ path }) => String(path[0])) ?? [])];
  if (parsed.success && faults.length === 0) return parsed.data;
  const described = [...new Set(faults)].map((fault) => describeFault(fault, candidate[fault]));
  return `${described.join("; ")}.`;
}

function describeFault(field: string, value: unknown): string {
  const place = places[field] ?? field;
  return value === undefined ? `${place} is missing` : `${place} is not allowed: ${JSON.stringify(value)}`;
}
