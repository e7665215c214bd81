import type { BankMoney, BankRecord, BankStatement } from "../../contract/bank.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { sha256 } from "../../platform/sha256.ts";
import { accountIn, type Element, findAll, findFirst, isTrue, textAt, toMinor, toText } from "./read-xml.ts";

/** What booked entries have moved, by currency: of an amount that cannot be read, `NaN`. */
export type Moved = Map<string, number>;

export function addEntry(moved: Moved, entry: Element): void {
  const { amount, currency } = readSigned(entry);
  moved.set(currency, (moved.get(currency) ?? 0) + amount);
}

interface Balance extends BankMoney {
  /** Empty without one. */
  readonly date: string;
}

/**
 * The record for the operator if a whole statement's entries do not add up from its opening to its
 * closing balance: an entry is missing or differs.
 */
export function checkBalances(
  statement: Element,
  header: Element | undefined,
  moved: Moved,
): BankRecord | undefined {
  const { opening, closing } = readBalances(statement, header);
  if (!opening || opening.currency !== closing?.currency) return undefined;
  const { currency } = opening;
  const sums = [opening.amount, moved.get(currency) ?? 0, closing.amount] as const;
  const isOther = [...moved.keys()].some((one) => one !== currency);
  if (isOther || sums.some(Number.isNaN) || sums[0] + sums[1] === sums[2]) return undefined;
  const [from, by, to] = sums.map((minor) => toDecimal(minor, countDecimals(currency)));
  const reason = `Bal: from ${from} to ${to} ${currency}, but the entries come to ${by}. Compare them with the account.`;
  return { input: showBalances(statement), line: statement.line, reason };
}

/** What is to follow from the statement before, and what the next one is to follow from. */
export function readStatement(statement: Element, header: Element | undefined): BankStatement | undefined {
  const account = accountIn(findFirst(statement, "Acct"), findFirst(statement, "Acct", "Svcr"));
  const { opening, closing, isLast } = readBalances(statement, header);
  const currency = findFirst(statement, "Bal", "Amt")?.attributes.Ccy;
  const dates = findAll(statement, "Bal")
    .filter((one) => readType(one) === "CLBD")
    .map(readDate);
  const [begin, end] = [opening, closing].map((one) => one && toRead(one, currency));
  const date = [...dates, begin?.date ?? ""]
    .filter((one) => isDate.test(one))
    .toSorted()
    .at(-1);
  if (account === undefined || currency === undefined || date === undefined) return undefined;
  const named = ["Id", "ElctrncSeqNb", "LglSeqNb", "CreDtTm"].map((name) => textAt(statement, name));
  return {
    ...{ account, currency, opening: begin, closing: isLast ? (end ?? { date }) : undefined },
    statement: sha256(JSON.stringify([...named, date])).slice(0, 16),
    input: showBalances(statement),
  };
}

function toRead({ date, amount, currency }: Balance, wanted: string | undefined) {
  return currency === wanted && !Number.isNaN(amount) && isDate.test(date) ? { date, amount } : undefined;
}

const isDate = /^\d{4}-\d\d-\d\d$/;
const readType = (balance: Element) => textAt(balance, "Tp", "CdOrPrtry", "Cd");
const readDate = (balance: Element) =>
  (textAt(balance, "Dt", "Dt") ?? textAt(balance, "Dt", "DtTm") ?? "").slice(0, 10);

/** The first page has the one, the last page the other. */
function readBalances(statement: Element, header: Element | undefined) {
  const pages = [findFirst(statement, "StmtPgntn"), findFirst(header, "MsgPgntn")].filter((one) => one);
  const isFirst = pages.every((page) => Number(textAt(page, "PgNb")) === 1);
  const isLast = pages.every((page) => isTrue(page, "LastPgInd"));
  return {
    isLast,
    opening: isFirst ? readBalance(statement, "OPBD", "PRCD") : undefined,
    closing: isLast ? readBalance(statement, "CLBD") : undefined,
  };
}

/** The first type that there is counts, if it stands there once. */
function readBalance(statement: Element, ...types: readonly string[]): Balance | undefined {
  const balances = Map.groupBy(findAll(statement, "Bal"), readType);
  const [only, ...others] = types.map((type) => balances.get(type)).find((found) => found) ?? [];
  return only && others.length === 0 ? { ...readSigned(only), date: readDate(only) } : undefined;
}

function showBalances(statement: Element): string {
  const shown = [...findAll(statement, "Acct"), ...findAll(statement, "Bal")];
  return shown.map((one) => toText(one)).join("");
}

function readSigned(element: Element): BankMoney {
  const amount = findFirst(element, "Amt");
  const sign = { CRDT: 1, DBIT: -1 }[textAt(element, "CdtDbtInd") ?? ""] ?? Number.NaN;
  return { amount: amount ? sign * toMinor(amount) : Number.NaN, currency: amount?.attributes.Ccy ?? "" };
}
