import type { BankAdapter, BankRecord, BankStatement } from "../../contract/bank.ts";
import { addEntry, checkBalances, checkNumbers, type Entries, readStatement } from "./read-balances.ts";
import { readEntry } from "./read-entry.ts";
import { readMessage } from "./read-message.ts";
import { readGroupReturn, readReturn, readStatuses } from "./read-status.ts";
import { type Element, findFirst, largestBytes, readXml, toText, XmlError } from "./read-xml.ts";

const saysNothing = "It says nothing of a payment or an account.";
const toSource = (element: Element) => ({ input: toText(element), line: element.line });

/** Statements and notifications, returns, statuses, and webhooks. */
export const iso20022: BankAdapter = { largestBytes, readFile, readMessage };

const kinds =
  /^urn:(?:iso:std:iso:20022:tech|swift):xsd:\$?(camt\.05[34]|pacs\.00[24]|pain\.002)\.001\.(?:0[2-9]|1[0-5])$/;
/** The oldest version has its own name there. */
const ofStatuses =
  "CstmrPmtStsRpt FIToFIPmtStsRpt pain.002.001.02 pacs.002.001.02 OrgnlPmtInfAndSts TxInfAndSts".split(" ");
const ofAccounts = ["Stmt", "Ntfctn", "Ntry"];
const taken = new Set(["Document", "PmtRtr", "TxInf", ...ofAccounts, ...ofStatuses]);
const entryReports = new Set(["camt.053", "camt.054"]);

function readFile(bytes: Uint8Array, note?: (statement: BankStatement) => void) {
  const records: BankRecord[] = [];
  const namespaces: string[] = [];
  const entries = readEntries(note);
  const statuses = readStatuses();
  let returns = 0;
  /** Which record is the first one of the Document that is read, and what was read of it last. */
  let first = 0;
  let last: Element | undefined;
  const visit = (element: Element, ancestors: readonly Element[], namespace: string) => {
    const [, kind] = kinds.exec(namespace) ?? [];
    const parent = ancestors.at(-1);
    if (element.name === "Document") {
      namespaces.push(namespace);
      const isEmpty = records.length === first && !ofAccounts.includes(last?.name ?? "");
      if (kind !== undefined && isEmpty) records.push({ ...toSource(last ?? element), reason: saysNothing });
      first = records.length;
      last = undefined;
    }
    if (kind === undefined || parent === undefined) return;
    last = element;
    if (entryReports.has(kind)) {
      records.push(...entries(element, ancestors, kind));
    } else if (element.name === "TxInf" && kind === "pacs.004") {
      returns += 1;
      records.push(readReturn(element, parent));
    } else if (kind === "pain.002" || kind === "pacs.002") {
      records.push(...statuses(element, ancestors));
    } else if (element.name === "PmtRtr" && kind === "pacs.004") {
      const group = returns === 0 ? readGroupReturn(element) : undefined;
      if (group) records.push(group);
      returns = 0;
    }
  };
  try {
    readXml(bytes, taken, visit);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return { record: records.length + 1, reason: error.message };
  }
  const other = namespaces.find((one) => !kinds.test(one));
  if (namespaces.length > 0 && other === undefined) return records;
  const what = other === undefined ? "It has no Document" : `Its Document is of "${other}"`;
  return {
    record: 1,
    reason: `${what}; it must be of camt.053, camt.054, pacs.002, pacs.004 or pain.002, version 02 to 15. Reports of the day, camt.052, are not final.`,
  };
}

/** Reads entries as they end, and then what they stand in, which says what they come to. */
function readEntries(note: (statement: BankStatement) => void = () => {}) {
  const all = new WeakMap<Element, Entries>();
  const countCopy = countCopies();
  return (element: Element, ancestors: readonly Element[], report: string): readonly BankRecord[] => {
    const header = findFirst(ancestors[1], "GrpHdr");
    const statement = ancestors.at(-1);
    if (element.name === "Ntry" && statement) {
      const before = all.get(statement);
      const number = (before?.number ?? 0) + 1;
      const records = readEntry({ entry: element, statement, header, number, report, countCopy });
      all.set(statement, addEntry(before, element, records.length > 0));
      return records;
    }
    const entries = all.get(element);
    const balances = readStatement(element, header, entries);
    if (balances) note(balances);
    const faults = [checkNumbers(element, header, entries), checkBalances(element, header, entries)];
    return faults.filter((one) => one !== undefined);
  };
}

/** How many statements of a file have one name: the first has 1. */
function countCopies(): (name: string, statement: Element) => number {
  const all = new Map<string, number>();
  const counted = new WeakMap<Element, number>();
  return (name, statement) => {
    const copy = counted.get(statement) ?? (all.get(name) ?? 0) + 1;
    if (!counted.has(statement)) all.set(name, copy);
    counted.set(statement, copy);
    return copy;
  };
}
