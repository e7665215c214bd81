import {
  BankDeposited,
  type BankEvent,
  type BankMoney,
  type BankPlace,
  type BankRecord,
  BankReturned,
} from "../../contract/bank.ts";
import { withoutCardNumbers } from "../../contract/card-numbers.ts";
import { sha256 } from "../../platform/sha256.ts";
import { factsOf } from "./facts.ts";
import { accountIn, isTrue, moneyIn, referenceAt, referencesIn, remittanceIn } from "./read-parts.ts";
import { type Element, findAll, findFirst, textAt, toText } from "./read-xml.ts";
import { splitEntry } from "./split-entry.ts";
import { type Candidate, type Source, toRecord } from "./to-record.ts";

export interface EntrySource {
  readonly entry: Element;
  readonly statement: Element;
  readonly header: Element | undefined;
  /** Counted from 1, in the statement. */
  readonly number: number;
  /** What it stands in: `camt.053` or `camt.054`. */
  readonly report: string;
}

/** Not booked, or not yet: what is booked later is reported again. */
const unbooked = new Set(["PDNG", "INFO", "FUTR"]);

/**
 * The records of an entry, which is what moved on the account: a deposit for each payment that its
 * details tell, or one of the whole, which waits in suspense if they do not add up to it. A debit
 * that takes back deposits is their return. Other debits are left out.
 */
export function readEntry(source: EntrySource): BankRecord[] {
  const { amount, currency } = moneyIn(findFirst(source.entry, "Amt"));
  const isMoney = typeof amount === "number" && currency !== undefined;
  const entry = isMoney ? { amount, currency } : undefined;
  return recordsOf(source).map((record, index) => {
    const money = "event" in record ? moneyOf(record.event) : entry;
    return { ...record, money, ...(index === 0 && { entry }) };
  });
}

function moneyOf({ amount, currency }: BankEvent): BankMoney | undefined {
  return amount === undefined || currency === undefined ? undefined : { amount, currency };
}

function recordsOf(source: EntrySource): BankRecord[] {
  const { entry, statement } = source;
  const status = textAt(entry, "Sts", "Cd") ?? textAt(entry, "Sts", "Prtry") ?? textAt(entry, "Sts");
  if (unbooked.has(status ?? "")) return [];
  const details = findAll(entry, "NtryDtls", "TxDtls");
  const direction = textAt(entry, "CdtDbtInd");
  const all = sourceOf(source, details);
  if (status !== "BOOK")
    return [{ ...all, reason: `Sts is not allowed: ${JSON.stringify(status ?? null)}.` }];
  if (direction !== "CRDT" && direction !== "DBIT")
    return [{ ...all, reason: `CdtDbtInd is not allowed: ${JSON.stringify(direction ?? null)}.` }];
  const isReversal = [entry, ...details].some((one) => isTrue(one, "RvslInd"));
  const isReturn = details.some((one) => findFirst(one, "RtrInf"));
  const contradicts = details.some((one) => (textAt(one, "CdtDbtInd") ?? direction) !== direction);
  if (direction === "CRDT" && isReversal)
    return [{ ...all, reason: "RvslInd: the bank takes back a debit, which is no deposit." }];
  if (direction === "DBIT" && !isReversal && !isReturn)
    return contradicts ? [{ ...all, reason: "CdtDbtInd: a debit has a credit among its details." }] : [];
  const money = moneyIn(findFirst(entry, "Amt"));
  const account = accountIn(findFirst(statement, "Acct"), findFirst(statement, "Acct", "Svcr"));
  const common = { account, currency: money.currency };
  const { amount, currency } = money;
  const isMoney = typeof amount === "number" && currency !== undefined;
  const split = isMoney ? splitEntry(entry, details, { amount, currency }) : [];
  if (direction === "DBIT") return toReturns(source, details, { ...common, amount }, split);
  const suspend = findDoubt(split, contradicts, isReturn);
  if (suspend !== undefined || details.length < 2)
    return [toDeposit(source, details, { ...common, amount, ...(suspend && { suspend }) })];
  const amounts = typeof split === "string" ? [] : split;
  return details.map((detail, index) =>
    toDeposit(source, [detail], { ...common, amount: amounts[index] ?? amount }, index + 1),
  );
}

/** Why nobody's account is credited before the operator has looked at it. */
function findDoubt(
  split: readonly number[] | string,
  contradicts: boolean,
  isReturn: boolean,
): string | undefined {
  if (typeof split === "string") return split;
  if (contradicts) return "CdtDbtInd: a credit has a debit among its details.";
  return isReturn ? "RtrInf: a payment from the account has come back." : undefined;
}

function toDeposit(
  source: EntrySource,
  parts: readonly Element[],
  candidate: Candidate,
  detail?: number,
): BankRecord {
  const { entry } = source;
  const references = referencesOf(entry, parts);
  // Nothing says which of several payments a text of the entry is about.
  const texts = detail === undefined ? [...parts, entry] : parts;
  return toRecord(
    BankDeposited,
    {
      kind: "deposited",
      ...candidate,
      ...identify(source, parts, detail),
      references,
      ...remittanceIn(...texts),
    },
    sourceOf(source, parts),
  );
}

/** What tells it from others, beside its references. */
function identify(source: EntrySource, parts: readonly Element[], detail: number | undefined): Candidate {
  const { report, entry } = source;
  const facts = factsOf(entry, parts);
  return { place: placeOf(source, detail), content: contentOf(source, parts), report, facts };
}

/** In a reversal, `Refs` are those of the original, but perhaps for the bank's own. */
function toReturns(
  source: EntrySource,
  details: readonly Element[],
  candidate: Candidate,
  split: readonly number[] | string,
): BankRecord[] {
  if (typeof split === "string") return [{ ...sourceOf(source, details), reason: split }];
  const parts = details.length < 2 ? [details] : details.map((one) => [one]);
  return parts.map((part, index) => {
    const references = referencesOf(source.entry, part);
    const returned = {
      kind: "returned",
      ...candidate,
      amount: split[index] ?? candidate.amount,
      references,
      returnId: references.accountServicer,
      place: placeOf(source, parts.length > 1 ? index + 1 : undefined),
      content: contentOf(source, part),
    };
    return toRecord(BankReturned, returned, sourceOf(source, part));
  });
}

/** Several payments together have only their entry's. */
function referencesOf(entry: Element, parts: readonly Element[]) {
  const [only] = parts.length === 1 ? parts : [];
  const refs = findFirst(only, "Refs");
  const ofEntry = referenceAt(entry, "AcctSvcrRef");
  const accountServicer = referenceAt(refs, "AcctSvcrRef") ?? ofEntry;
  return {
    ...referencesIn(refs),
    ...(accountServicer !== undefined && { accountServicer }),
    ...(ofEntry !== undefined && ofEntry !== accountServicer && { entry: ofEntry }),
  };
}

function placeOf({ statement, header, number }: EntrySource, detail: number | undefined): BankPlace {
  const pages = [
    [statement, "NtfctnPgntn"],
    [statement, "StmtPgntn"],
    [header, "MsgPgntn"],
  ] as const;
  const page = pages.map(([element, name]) => referenceAt(element, name, "PgNb")).find((one) => one);
  const place = {
    statement: referenceAt(statement, "Id"),
    sequence: referenceAt(statement, "ElctrncSeqNb") ?? referenceAt(statement, "LglSeqNb"),
    created: referenceAt(statement, "CreDtTm"),
    page,
    entry: number,
    detail,
  };
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined)) as BankPlace;
}

/** What says nothing of the payments: their place, and that they are booked. */
const aside = new Set(["NtryRef", "Sts", "NtryDtls"]);

function contentOf({ entry, statement }: EntrySource, parts: readonly Element[]): string {
  const own = entry.children.filter(({ name }) => !aside.has(name));
  const account = findAll(statement, "Acct", "Id");
  const toValue = (text: string) => withoutCardNumbers(text.replace(/\s+/g, " "));
  return sha256([...account, ...own, ...parts].map((one) => toText(one, toValue)).join("\n"));
}

/** The operator sees the account, and the entry with these of its details alone. */
function sourceOf({ entry, statement }: EntrySource, parts: readonly Element[]): Source {
  const own = entry.children.filter(({ name }) => name !== "NtryDtls");
  const given = parts.length > 0 ? [{ ...entry, name: "NtryDtls", attributes: {}, children: parts }] : [];
  const shown = [...findAll(statement, "Acct"), { ...entry, children: [...own, ...given] }];
  const [only] = parts.length === 1 ? parts : [];
  return { input: shown.map((one) => toText(one)).join(""), line: (only ?? entry).line };
}
