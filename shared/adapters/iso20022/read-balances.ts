import type { BankMoney, BankPage, BankRecord, BankStatement } from "../../contract/bank.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { sha256 } from "../../platform/sha256.ts";
import {
  accountIn,
  type Element,
  findAll,
  findFirst,
  isTrue,
  textAt,
  toMinor,
  toMinorUnits,
  toText,
} from "./read-xml.ts";

/** A statement's entries, so far. */
export interface Entries {
  readonly number: number;
  /** What booked ones have moved, by currency: of an amount that cannot be read, `NaN`. */
  readonly moved: ReadonlyMap<string, number>;
  /** By direction: entries, booked or not, of how many payments, and how much. */
  readonly counted: ReadonlyMap<
    string | undefined,
    readonly [entries: number, payments: number, amount: number]
  >;
}

export function addEntry(
  { number, moved, counted }: Entries = { number: 0, moved: new Map(), counted: new Map() },
  entry: Element,
  isBooked: boolean,
): Entries {
  const { amount, currency } = readSigned(entry);
  const direction = textAt(entry, "CdtDbtInd");
  const [entries, payments, sum] = counted.get(direction) ?? [0, 0, 0];
  const details = findAll(entry, "NtryDtls").map(countPayments);
  const all = Math.max(
    1,
    details.reduce((sum, one) => sum + one, 0),
  );
  return {
    number: number + 1,
    moved: isBooked ? new Map([...moved, [currency, (moved.get(currency) ?? 0) + amount]]) : moved,
    counted: new Map([...counted, [direction, [entries + 1, payments + all, sum + Math.abs(amount)]]]),
  };
}

/** A batch may say how many it has, and show none. */
const countPayments = (details: Element) =>
  Math.max(findAll(details, "TxDtls").length, Number(textAt(details, "Btch", "NbOfTxs")) || 0);

const summaries = { TtlNtries: ["CRDT", "DBIT", undefined], TtlCdtNtries: ["CRDT"], TtlDbtNtries: ["DBIT"] };

/**
 * The record for the operator if a whole report has fewer entries than it says, or less money. Some
 * banks count payments.
 */
export function checkNumbers(
  report: Element,
  header: Element | undefined,
  { counted, moved }: Partial<Entries> = {},
): BankRecord | undefined {
  if (!findPages(report, header).every((page) => isFirst(page) && isLast(page))) return undefined;
  for (const [name, directions] of Object.entries(summaries)) {
    const said = Number(textAt(report, "TxsSummry", name, "NbOfNtries") ?? 0);
    const all = directions.map((one) => counted?.get(one) ?? [0, 0, 0]);
    const [entries = 0, payments = 0, amount = 0] = [0, 1, 2].map((at) =>
      all.reduce((total, one) => total + (one[at] ?? 0), 0),
    );
    const [currency = "", ...others] = moved?.keys() ?? [];
    const sum = textAt(report, "TxsSummry", name, "Sum") ?? "";
    const isLess = currency !== "" && others.length === 0 && (toMinorUnits(sum, currency) ?? 0) > amount;
    const missing =
      said > Math.max(entries, payments)
        ? `there are ${said} entries, but ${entries} in the file`
        : isLess &&
          `they are ${sum} ${currency}, but ${toDecimal(amount, countDecimals(currency))} in the file`;
    if (!missing) continue;
    const reason = `${name}: ${missing}. Compare them with the account.`;
    return { input: show(report, "TxsSummry"), line: report.line, reason };
  }
  return undefined;
}

interface Balance extends BankMoney {
  /** Empty without one. */
  readonly date: string;
  /** It stands between two pages: each page of a statement has balances of its own. */
  readonly isInterim: boolean;
}

/**
 * The record for the operator if a whole statement's entries do not add up from its opening to its
 * closing balance: an entry is missing or differs.
 */
export function checkBalances(
  statement: Element,
  header: Element | undefined,
  { moved = new Map() }: Partial<Entries> = {},
): BankRecord | undefined {
  const { opening, closing } = readBalances(statement, header);
  if (!opening || opening.currency !== closing?.currency) return undefined;
  const { currency } = opening;
  const sums = [opening.amount, moved.get(currency) ?? 0, closing.amount] as const;
  const isOther = [...moved.keys()].some((one) => one !== currency);
  if (isOther || sums.some(Number.isNaN) || sums[0] + sums[1] === sums[2]) return undefined;
  const [from, by, to] = sums.map((minor) => toDecimal(minor, countDecimals(currency)));
  const reason = `Bal: from ${from} to ${to} ${currency}, but the entries come to ${by}. Compare them with the account.`;
  return { input: show(statement, "Bal"), line: statement.line, reason };
}

/** What is to follow from the statement before, and what the next one is to follow from. */
export function readStatement(
  statement: Element,
  header: Element | undefined,
  { moved }: Partial<Entries> = {},
): BankStatement | undefined {
  const account = accountIn(findFirst(statement, "Acct"), findFirst(statement, "Acct", "Svcr"));
  // A message's pages do not part a statement that has both.
  const own = readBalances(statement, undefined);
  const { opening, closing, isLast } = own.opening && own.closing ? own : readBalances(statement, header);
  const [ofEntry] = moved?.keys() ?? [];
  const ofAccount = textAt(statement, "Acct", "Ccy") ?? ofEntry;
  const currency = findFirst(statement, "Bal", "Amt")?.attributes.Ccy ?? ofAccount;
  const dates = findAll(statement, "Bal")
    .filter((one) => readType(one) === "CLBD")
    .map(readDate);
  const isOpen = !isLast || closing?.isInterim;
  const [begin, end] = [opening, closing].map((one) => one && toRead(one, currency));
  const date = [...dates, begin?.date ?? ""]
    .filter((one) => isDate.test(one))
    .toSorted()
    .at(-1);
  const made = (textAt(statement, "CreDtTm") ?? textAt(header, "CreDtTm"))?.slice(0, 10);
  const page = made === undefined ? undefined : readPage(statement, header, own, made);
  if (account === undefined || currency === undefined || !(date ?? page)) return undefined;
  const named = ["Id", "ElctrncSeqNb", "LglSeqNb", "CreDtTm"].map((name) => textAt(statement, name));
  return {
    ...{ account, currency, opening: begin, made, page },
    closing: isOpen ? undefined : (end ?? (date === undefined ? undefined : { date })),
    statement: sha256(JSON.stringify([...named, date])).slice(0, 16),
    input: show(statement, "Bal"),
  };
}

function toRead({ date, amount, currency, isInterim }: Balance, wanted: string | undefined) {
  if (isInterim || currency !== wanted || Number.isNaN(amount) || !isDate.test(date)) return undefined;
  return { date, amount };
}

const isDate = /^\d{4}-\d\d-\d\d$/;
const readType = (balance: Element) => textAt(balance, "Tp", "CdOrPrtry", "Cd");
const readDate = (balance: Element) =>
  (textAt(balance, "Dt", "Dt") ?? textAt(balance, "Dt", "DtTm") ?? "").slice(0, 10);

/** The first page has the one, the last page the other. */
function readBalances(statement: Element, header: Element | undefined) {
  const pages = findPages(statement, header);
  return {
    isLast: pages.every(isLast),
    opening: pages.every(isFirst) ? readBalance(statement, "OPBD", "PRCD") : undefined,
    closing: pages.every(isLast) ? readBalance(statement, "CLBD") : undefined,
  };
}

function findPages(report: Element, header: Element | undefined): Element[] {
  const own = ["StmtPgntn", "NtfctnPgntn"].flatMap((name) => findAll(report, name));
  return header ? [...own, ...findAll(header, "MsgPgntn")] : own;
}

/** A message's pages are of several accounts: balances say where each statement begins. */
function readPage(
  statement: Element,
  header: Element | undefined,
  { opening, closing }: ReturnType<typeof readBalances>,
  made: string,
): BankPage | undefined {
  const [own] = findPages(statement, undefined);
  const page = own ?? (statement.name === "Stmt" ? findFirst(header, "MsgPgntn") : undefined);
  const number = textAt(page, "PgNb") ?? "";
  if (!page || !/^0*[1-9]\d{0,4}$/.test(number)) return undefined;
  const begins = isFirst(page) || (!own && opening?.isInterim === false);
  const ends = isLast(page) || (!own && closing?.isInterim === false);
  if (begins && ends) return undefined;
  const sequence = textAt(statement, "ElctrncSeqNb") ?? textAt(statement, "LglSeqNb");
  const id = textAt(statement, "Id");
  // Numbers begin anew each year, and some banks give all their statements one id.
  const names = [sequence && `${made.slice(0, 4)} ${sequence}`, id && `${made} ${id}`].filter(Boolean);
  return { number: Number(number), isFirst: begins, isLast: ends, names: names as string[] };
}

const isFirst = (page: Element) => Number(textAt(page, "PgNb")) === 1;
const isLast = (page: Element) => isTrue(page, "LastPgInd");

/** The first type that there is counts, if it stands there once. */
function readBalance(statement: Element, ...types: readonly string[]): Balance | undefined {
  const balances = Map.groupBy(findAll(statement, "Bal"), readType);
  const [only, ...others] = types.map((type) => balances.get(type)).find((found) => found) ?? [];
  if (!only || others.length > 0) return undefined;
  const isInterim = textAt(only, "Tp", "SubTp", "Cd") === "INTM";
  return { ...readSigned(only), date: readDate(only), isInterim };
}

function show(statement: Element, name: string): string {
  const shown = [...findAll(statement, "Acct"), ...findAll(statement, name)];
  return shown.map((one) => toText(one)).join("");
}

function readSigned(element: Element): BankMoney {
  const amount = findFirst(element, "Amt");
  const sign = { CRDT: 1, DBIT: -1 }[textAt(element, "CdtDbtInd") ?? ""] ?? Number.NaN;
  return { amount: amount ? sign * toMinor(amount) : Number.NaN, currency: amount?.attributes.Ccy ?? "" };
}
