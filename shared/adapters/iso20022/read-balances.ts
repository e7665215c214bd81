import type { BankMoney, BankRecord } from "../../contract/bank.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { type Element, findAll, findFirst, isTrue, textAt, toMinor, toText } from "./read-xml.ts";

/** What booked entries have moved, by currency: of an amount that cannot be read, `NaN`. */
export type Moved = Map<string, number>;

export function addEntry(moved: Moved, entry: Element): void {
  const { amount, currency } = readSigned(entry);
  moved.set(currency, (moved.get(currency) ?? 0) + amount);
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
  const [opening, closing] = [readBalance(statement, "OPBD", "PRCD"), readBalance(statement, "CLBD")];
  const isWhole = isOnlyPage(findFirst(statement, "StmtPgntn")) && isOnlyPage(findFirst(header, "MsgPgntn"));
  if (!isWhole || !opening || opening.currency !== closing?.currency) return undefined;
  const { currency } = opening;
  const sums = [opening.amount, moved.get(currency) ?? 0, closing.amount] as const;
  const isOther = [...moved.keys()].some((one) => one !== currency);
  if (isOther || sums.some(Number.isNaN) || sums[0] + sums[1] === sums[2]) return undefined;
  const [from, by, to] = sums.map((minor) => toDecimal(minor, countDecimals(currency)));
  const shown = [...findAll(statement, "Acct"), ...findAll(statement, "Bal")];
  const reason = `Bal: from ${from} to ${to} ${currency}, but the entries come to ${by}. Compare them with the account.`;
  return { input: shown.map((one) => toText(one)).join(""), line: statement.line, reason };
}

/** The first type that there is counts, if it stands there once. */
function readBalance(statement: Element, ...types: readonly string[]): BankMoney | undefined {
  const balances = Map.groupBy(findAll(statement, "Bal"), (one) => textAt(one, "Tp", "CdOrPrtry", "Cd"));
  const [only, ...others] = types.map((type) => balances.get(type)).find((found) => found) ?? [];
  return only && others.length === 0 ? readSigned(only) : undefined;
}

function readSigned(element: Element): BankMoney {
  const amount = findFirst(element, "Amt");
  const sign = { CRDT: 1, DBIT: -1 }[textAt(element, "CdtDbtInd") ?? ""] ?? Number.NaN;
  return { amount: amount ? sign * toMinor(amount) : Number.NaN, currency: amount?.attributes.Ccy ?? "" };
}

const isOnlyPage = (page: Element | undefined) =>
  page === undefined || (Number(textAt(page, "PgNb")) === 1 && isTrue(page, "LastPgInd"));
