import {
  BankDebited,
  BankDeposited,
  type BankMoney,
  type BankPlace,
  type BankRecord,
  BankReturned,
} from "../../contract/bank.ts";
import { withoutCardNumbers } from "../../contract/card-numbers.ts";
import { sha256 } from "../../platform/sha256.ts";
import { toMinorUnits } from "../minor-units.ts";
import {
  accountIn,
  type Candidate,
  type Element,
  findAll,
  findFirst,
  isTrue,
  moneyIn,
  referenceAt,
  referencesIn,
  remittanceIn,
  type Source,
  textAt,
  toOrdered,
  toRecord,
  toText,
} from "./read-xml.ts";

interface EntrySource {
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
 * that takes back deposits is their return. Another one is of what the platform has ordered.
 */
export function readEntry(source: EntrySource): BankRecord[] {
  const { amount, currency } = moneyIn(findFirst(source.entry, "Amt"));
  const isMoney = typeof amount === "number" && currency !== undefined;
  const entry = isMoney ? { amount, currency } : undefined;
  return toRecords(source).map((record, index) => {
    const read = "event" in record ? record.event : record.ordered;
    const money = read ? toMoney(read) : entry;
    return { ...record, money, ...(index === 0 && { entry }) };
  });
}

function toMoney({ amount, currency }: Partial<BankMoney>): BankMoney | undefined {
  return amount === undefined || currency === undefined ? undefined : { amount, currency };
}

function toRecords(source: EntrySource): BankRecord[] {
  const { entry, statement } = source;
  const status = textAt(entry, "Sts", "Cd") ?? textAt(entry, "Sts", "Prtry") ?? textAt(entry, "Sts");
  if (unbooked.has(status ?? "")) return [];
  const details = findAll(entry, "NtryDtls", "TxDtls");
  const direction = textAt(entry, "CdtDbtInd");
  const all = readSource(source, details);
  if (status !== "BOOK")
    return [{ ...all, reason: `Sts is not allowed: ${JSON.stringify(status ?? null)}.` }];
  if (direction !== "CRDT" && direction !== "DBIT")
    return [{ ...all, reason: `CdtDbtInd is not allowed: ${JSON.stringify(direction ?? null)}.` }];
  const isReversal = [entry, ...details].some((one) => isTrue(one, "RvslInd"));
  const isReturn = details.some((one) => findFirst(one, "RtrInf"));
  const contradicts = details.some((one) => (textAt(one, "CdtDbtInd") ?? direction) !== direction);
  const isPlain = !isReversal && !isReturn;
  if (direction === "DBIT" && isPlain && contradicts)
    return [{ ...all, reason: "CdtDbtInd: a debit has a credit among its details." }];
  const refuse = direction === "CRDT" && isReversal ? takenBack : undefined;
  const batch = toBatch(entry, details);
  if (refuse !== undefined && batch === undefined && !details.some(isNamed))
    return [{ ...all, reason: refuse }];
  const money = moneyIn(findFirst(entry, "Amt"));
  const account = accountIn(findFirst(statement, "Acct"), findFirst(statement, "Acct", "Svcr"));
  const common = { account, currency: money.currency, ...(batch !== undefined && { batch }) };
  const { amount, currency } = money;
  const isMoney = typeof amount === "number" && currency !== undefined;
  const split = isMoney ? splitEntry(entry, details, { amount, currency }) : [];
  if (direction === "DBIT" && isPlain) return toDebits(source, details, { ...common, amount }, split);
  if (direction === "DBIT") return toReturns(source, details, { ...common, amount }, split);
  const suspend = findDoubt(split, contradicts, isReturn);
  const doubt = suspend === undefined ? {} : { suspend };
  const isSplit = typeof split !== "string" && !contradicts && details.length > 1;
  const deposits = isSplit
    ? details.map((detail, index) =>
        toDeposit(source, [detail], { ...common, amount: split[index] ?? amount, ...doubt }, index + 1),
      )
    : [toDeposit(source, details, { ...common, amount, ...doubt })];
  return refuse === undefined ? deposits : deposits.map((one) => refuseUnordered(one, refuse));
}

function refuseUnordered(record: BankRecord, reason: string): BankRecord {
  if (!("event" in record) || record.event.kind !== "deposited") return record;
  const { event, ...source } = record;
  return { ...source, reason, ordered: event };
}

const takenBack = "RvslInd: the bank takes back a debit, which is no deposit.";

const isNamed = (detail: Element) =>
  ["EndToEndId", "InstrId"].some((name) => referenceAt(detail, "Refs", name) !== undefined);

/** What is booked together is called so, unless its one payment has a name of its own. */
function toBatch(entry: Element, details: readonly Element[]): string | undefined {
  if (details.length === 1 && details.some(isNamed)) return undefined;
  const [only] = details.length === 1 ? details : [];
  return referenceAt(entry, "NtryDtls", "Btch", "PmtInfId") ?? referenceAt(only, "Refs", "PmtInfId");
}

/** Its payments, if their amounts are told: else the whole, which its batch may name. */
function toDebits(
  source: EntrySource,
  details: readonly Element[],
  candidate: Candidate,
  split: readonly number[] | string,
): BankRecord[] {
  const isSplit = typeof split !== "string" && details.length > 1;
  const parts = isSplit ? details.map((one) => [one]) : [details];
  return parts.map((part, index) => {
    const amount = isSplit ? split[index] : candidate.amount;
    const references = readReferences(source.entry, part);
    const debit = {
      kind: "debited",
      ...candidate,
      amount,
      references,
      ...toCharges(source, part, candidate),
    };
    return toOrdered(BankDebited, debit, readSource(source, part), "It is a debit");
  });
}

/** What the bank has charged for one payment, where the entry says it. */
function toCharges(
  { entry }: EntrySource,
  parts: readonly Element[],
  { currency = "" }: { readonly currency?: string | undefined },
): Candidate {
  const isWhole = findAll(entry, "NtryDtls", "TxDtls").length === parts.length;
  const charged = [...parts, ...(isWhole ? [entry] : [])];
  const charges = charged.reduce((sum, one) => sum + sumCharges(one, currency), 0);
  return parts.length === 1 && charges > 0 ? { charges } : {};
}

const readReason = (parts: readonly Element[]) => {
  const code = parts.map((one) => textAt(one, "RtrInf", "Rsn", "Cd")).find((one) => one !== undefined);
  return code !== undefined && /^[A-Z0-9]{4}$/.test(code) ? { reasonCode: code } : {};
};

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
  const references = readReferences(entry, parts);
  // Nothing says which of several payments a text of the entry is about.
  const texts = detail === undefined ? [...parts, entry] : parts;
  return toRecord(
    BankDeposited,
    {
      kind: "deposited",
      ...candidate,
      ...identify(source, parts, detail),
      ...readReason(parts),
      ...(parts.some((one) => findFirst(one, "RtrInf")) && { isReturn: true }),
      ...toCharges(source, parts, candidate),
      references,
      ...remittanceIn(...texts),
    },
    readSource(source, parts),
  );
}

/** What tells it from others, beside its references. */
function identify(source: EntrySource, parts: readonly Element[], detail: number | undefined): Candidate {
  const { report, entry } = source;
  const facts = readFacts(entry, parts);
  return { place: toPlace(source, detail), content: hashContent(source, parts), report, facts };
}

/** In a reversal, `Refs` are those of the original, but perhaps for the bank's own. */
function toReturns(
  source: EntrySource,
  details: readonly Element[],
  candidate: Candidate,
  split: readonly number[] | string,
): BankRecord[] {
  if (typeof split === "string") return [{ ...readSource(source, details), reason: split }];
  const parts = details.length < 2 ? [details] : details.map((one) => [one]);
  return parts.map((part, index) => {
    const references = readReferences(source.entry, part);
    const returned = {
      kind: "returned",
      ...candidate,
      amount: split[index] ?? candidate.amount,
      ...toCharges(source, part, candidate),
      ...readReason(part),
      references,
      returnId: references.accountServicer,
      place: toPlace(source, parts.length > 1 ? index + 1 : undefined),
      content: hashContent(source, part),
    };
    return toRecord(BankReturned, returned, readSource(source, part));
  });
}

/** Several payments together have only their entry's. */
function readReferences(entry: Element, parts: readonly Element[]) {
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

function toPlace({ statement, header, number }: EntrySource, detail: number | undefined): BankPlace {
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

function hashContent({ entry, statement }: EntrySource, parts: readonly Element[]): string {
  const own = entry.children.filter(({ name }) => !aside.has(name));
  const account = findAll(statement, "Acct", "Id");
  const toValue = (text: string) => withoutCardNumbers(text.replace(/\s+/g, " "));
  return sha256([...account, ...own, ...parts].map((one) => toText(one, toValue)).join("\n"));
}

/** The operator sees the account, and the entry with these of its details alone. */
function readSource({ entry, statement }: EntrySource, parts: readonly Element[]): Source {
  const own = entry.children.filter(({ name }) => name !== "NtryDtls");
  const given = parts.length > 0 ? [{ ...entry, name: "NtryDtls", attributes: {}, children: parts }] : [];
  const shown = [...findAll(statement, "Acct"), { ...entry, children: [...own, ...given] }];
  const [only] = parts.length === 1 ? parts : [];
  return { input: shown.map((one) => toText(one)).join(""), line: (only ?? entry).line };
}

const dates = (name: string) =>
  [
    [name, "Dt"],
    [name, "DtTm"],
  ] as const;

/** What reports of every kind say of a payment. Of the entry, unless its payment says it. */
const paths = {
  debtor: [
    ["RltdPties", "Dbtr", "Pty", "Nm"],
    ["RltdPties", "Dbtr", "Nm"],
  ],
  debtorAccount: [
    ["RltdPties", "DbtrAcct", "Id", "IBAN"],
    ["RltdPties", "DbtrAcct", "Id", "Othr", "Id"],
  ],
  ultimateDebtor: [
    ["RltdPties", "UltmtDbtr", "Pty", "Nm"],
    ["RltdPties", "UltmtDbtr", "Nm"],
  ],
  booked: dates("BookgDt"),
  value: dates("ValDt"),
  text: [
    ["RmtInf", "Ustrd"],
    ["RmtInf", "Strd", "CdtrRefInf", "Ref"],
    ["RmtInf", "Strd", "AddtlRmtInf"],
  ],
} as const;

/** Hashes: they are compared, never read. */
function readFacts(entry: Element, parts: readonly Element[]): Record<string, string> {
  const found = Object.entries(paths).flatMap(([name, ways]) => {
    const written = ways
      .flatMap((path) => [...parts, entry].flatMap((element) => findAll(element, ...path)))
      .map(({ text }) => text.replace(/\s+/g, ""))
      .join("");
    // A time counts as its day: the other report may have the date alone.
    const said = name === "booked" || name === "value" ? written.slice(0, 10) : written;
    return said === "" ? [] : [[name, sha256(said).slice(0, 16)] as const];
  });
  return Object.fromEntries(found);
}

/** Where banks write what a payment moved, the surest first. */
const sources = [
  ["Amt"],
  ...["TxAmt", "CntrValAmt", "InstdAmt", "AnncdPstngAmt", "PrtryAmt"].map((name) => ["AmtDtls", name, "Amt"]),
] as const;

/**
 * How an entry's amount divides among its details, to its last cent: by their amounts in its
 * currency, or what charges leave of them. Otherwise why it cannot be told.
 */
function splitEntry(
  entry: Element,
  details: readonly Element[],
  { amount: total, currency }: BankMoney,
): readonly number[] | string {
  const counted = findAll(entry, "NtryDtls", "Btch", "NbOfTxs").map(({ text }) => Number(text));
  const payments = counted.reduce((sum, count) => sum + count, 0);
  if (payments > Math.max(details.length, 1))
    return `It is of ${payments} payments, but has the details of ${details.length}.`;
  if (details.length === 0) return [total];
  const directions = new Set(details.map((detail) => textAt(detail, "CdtDbtInd")).filter((one) => one));
  if (directions.size > 1) return "It has details of both directions.";
  // Charges make a debit more, and a credit less.
  const taken = textAt(entry, "CdtDbtInd") === "DBIT" ? -1 : 1;
  const [only] = details;
  const charges = details.map((detail) => sumCharges(detail, currency));
  if (only && details.length === 1) {
    const found = amountsIn(only, currency).filter((one) => one !== undefined);
    const kept = (charges[0] ?? 0) + sumCharges(entry, currency);
    const isExplained = found.some((one) => one === total || one - taken * kept === total);
    return found.length === 0 || isExplained ? [total] : "Its detail has another amount.";
  }
  const found = details.map((detail) => amountsIn(detail, currency));
  const ways = [
    found.map((amounts) => amounts.find((one) => one !== undefined)),
    ...sources.map((_, source) => found.map((amounts) => amounts[source])),
  ];
  for (const way of ways) {
    const gross = way.map((one) => one ?? Number.NaN);
    const net = gross.map((one, index) => one - taken * (charges[index] ?? 0));
    const fits = [gross, net].find((amounts) => addUpTo(amounts, total));
    if (fits) return fits;
  }
  return "The amounts of its details do not add up to it.";
}

function addUpTo(amounts: readonly number[], total: number): boolean {
  return amounts.every((one) => one >= 0) && amounts.reduce((sum, one) => sum + one, 0) === total;
}

/** One for each source: none in another currency, `NaN` for what is no amount. */
function amountsIn(detail: Element, currency: string): (number | undefined)[] {
  return sources.map((path) => {
    const found = findAll(detail, ...path).find(({ attributes }) => attributes.Ccy === currency);
    return found && toMinor(found);
  });
}

/** What charges take off: those that the bank gives back are less than nothing. */
function sumCharges(element: Element, currency: string): number {
  const charges = findAll(element, "Chrgs").flatMap((one) => {
    const records = findAll(one, "Rcrd");
    return records.length > 0 ? records : [one];
  });
  return charges.reduce((sum, charge) => {
    const amount = findFirst(charge, "Amt") ?? findFirst(charge, "TtlChrgsAndTaxAmt");
    if (amount?.attributes.Ccy !== currency) return sum;
    return sum + (textAt(charge, "CdtDbtInd") === "CRDT" ? -1 : 1) * toMinor(amount);
  }, 0);
}

function toMinor({ text, attributes }: Element): number {
  const decimal = text.trim();
  if (/^\+?0*\.?0*$/.test(decimal) && decimal.includes("0")) return 0;
  return toMinorUnits(decimal, attributes.Ccy ?? "") ?? Number.NaN;
}
