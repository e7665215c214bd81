import {
  BankDebited,
  BankDeposited,
  type BankMoney,
  type BankPlace,
  type BankRecord,
  BankReturned,
} from "../../contract/bank.ts";
import { defined } from "../../platform/pick.ts";
import { sha256 } from "../../platform/sha256.ts";
import {
  accountIn,
  type Candidate,
  type Element,
  exactMoneyIn,
  findAll,
  findFirst,
  hashElements,
  isTrue,
  moneyIn,
  reasonIn,
  referenceAt,
  referencesIn,
  remittanceIn,
  type Source,
  textAt,
  toMinor,
  toOrdered,
  toRecord,
  toText,
} from "./read-xml.ts";

interface EntrySource {
  /** Without its details, of which there may be many thousands: each of them looks at it. */
  readonly entry: Element;
  readonly statement: Element;
  readonly header: Element | undefined;
  /** Counted from 1, in the statement. */
  readonly number: number;
  /** Counted from 1, of statements of the file that have one name. */
  readonly countCopy: (name: string, statement: Element) => number;
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
  const entry = exactMoneyIn(findFirst(source.entry, "Amt"));
  return toRecords(source, entry).map((record, index) => ({
    money: entry,
    ...record,
    ...(index === 0 && { entry }),
  }));
}

function toRecords({ entry: whole, ...given }: EntrySource, money: BankMoney | undefined): BankRecord[] {
  const entry = { ...whole, children: whole.children.filter(({ name }) => name !== "NtryDtls") };
  const source = { ...given, entry };
  const status = textAt(entry, "Sts", "Cd") ?? textAt(entry, "Sts", "Prtry") ?? textAt(entry, "Sts");
  if (unbooked.has(status ?? "")) return [];
  const details = findAll(whole, "NtryDtls", "TxDtls");
  const direction = textAt(entry, "CdtDbtInd");
  const refuse = (reason: string) => [{ ...readSource(source, details), reason }];
  if (status !== "BOOK") return refuse(`Sts is not allowed: ${JSON.stringify(status ?? null)}.`);
  if (direction !== "CRDT" && direction !== "DBIT")
    return refuse(`CdtDbtInd is not allowed: ${JSON.stringify(direction ?? null)}.`);
  const isCredit = direction === "CRDT";
  const contradicts = details.some((one) => (textAt(one, "CdtDbtInd") ?? direction) !== direction);
  const split = money ? splitEntry(whole, details, money) : [];
  const isSplit = typeof split !== "string" && details.length > 1 && !(isCredit && contradicts);
  const parts = isSplit ? details.map((one) => [one]) : [details];
  const isBack = parts.map((part) => isReversal(entry, part) || isReturn(entry, part));
  if (!isCredit && contradicts && isBack.includes(false))
    return refuse("CdtDbtInd: a debit has a credit among its details.");
  if (!isCredit && typeof split === "string" && isBack.includes(true)) return refuse(split);
  const batch = toBatch(whole, details);
  return parts.map((part, index) => {
    const kind = isCredit ? "deposited" : isBack[index] ? "returned" : "debited";
    const suspend = isCredit ? findDoubt(split, contradicts, isReturn(entry, part)) : undefined;
    const amount = isSplit ? split[index] : undefined;
    const own = { batch, suspend, ...(amount !== undefined && { amount }) };
    const read = () => readPart(source, kind, part, own, isSplit ? index + 1 : undefined);
    const record = isCredit && isReversal(entry, part) ? takeBack(source, part, batch, read) : read();
    return { ...record, ...(money && amount !== undefined && { money: { ...money, amount } }) };
  });
}

const isReversal = (entry: Element, parts: readonly Element[]) =>
  [entry, ...parts].some((one) => isTrue(one, "RvslInd"));

/** A payment was returned, unpaid or taken back, or its cancellation was asked for. */
const returnCodes = new Set(["RRTN", "RPCR", "ARET", "AREV", "UPDD", "PRDD", "RCDD"]);

/** Some banks say it by the code of the transaction alone. */
const isReturn = (entry: Element, parts: readonly Element[]) =>
  [entry, ...parts].some(
    (one) =>
      findFirst(one, "RtrInf") !== undefined ||
      returnCodes.has(textAt(one, "BkTxCd", "Domn", "Fmly", "SubFmlyCd") ?? ""),
  );

/** One payment of the entry, or all of them together. */
function readPart(
  source: EntrySource,
  kind: "debited" | "returned" | "deposited",
  parts: readonly Element[],
  own: Candidate,
  detail: number | undefined,
): BankRecord {
  const { entry, statement, report } = source;
  const money = moneyIn(findFirst(entry, "Amt"));
  const account = accountIn(findFirst(statement, "Acct"), findFirst(statement, "Acct", "Svcr"));
  const references = readReferences(entry, parts);
  const charges = toCharges(parts, detail === undefined ? [entry] : [], money);
  const place = toPlace(source, detail);
  const paid = { kind, account, report, place, ...money, ...own, ...charges, references };
  const shown = readSource(source, parts);
  if (kind === "debited") return toOrdered(BankDebited, paid, shown, "It is a debit");
  const found = { ...paid, ...reasonIn("RtrInf", ...parts), content: hashContent(source, parts) };
  // In a reversal, `Refs` are those of the original, but perhaps for the bank's own.
  if (kind === "returned")
    return toRecord(BankReturned, { ...found, returnId: references.accountServicer }, shown);
  // What has no name but the entry's may be the sum of payments that another report tells.
  const { accountServicer: _, message: __, ...names } = references;
  const isOfMany = detail !== undefined || Object.keys(names).length === 0;
  // Nothing says which of several payments a text of the entry is about.
  const texts = remittanceIn(...parts, ...(detail === undefined ? [entry] : []));
  const facts = { ...readFacts(source, parts), ...(isOfMany && { sum: String(money.amount) }) };
  const deposited = { ...found, isReturn: isReturn(entry, parts) || undefined, facts, ...texts };
  return toRecord(BankDeposited, deposited, shown);
}

const takenBack = "RvslInd: the bank takes back a debit, which is no deposit.";

/** Refused, unless it is of a payment that was ordered. */
function takeBack(
  source: EntrySource,
  parts: readonly Element[],
  batch: string | undefined,
  read: () => BankRecord,
): BankRecord {
  if (batch === undefined && !parts.some(isNamed)) return { ...readSource(source, parts), reason: takenBack };
  const record = read();
  if (!("event" in record) || record.event.kind !== "deposited") return record;
  const { event, ...shown } = record;
  return { ...shown, reason: takenBack, ordered: event };
}

const isNamed = (detail: Element) =>
  ["EndToEndId", "InstrId"].some((name) => referenceAt(detail, "Refs", name) !== undefined);

/** What is booked together is called so, unless its one payment has a name of its own. */
function toBatch(entry: Element, details: readonly Element[]): string | undefined {
  if (details.length === 1 && details.some(isNamed)) return undefined;
  const [only] = details.length === 1 ? details : [];
  return referenceAt(entry, "NtryDtls", "Btch", "PmtInfId") ?? referenceAt(only, "Refs", "PmtInfId");
}

/** What the bank has charged for one payment, where the entry says it. */
function toCharges(
  parts: readonly Element[],
  entries: readonly Element[],
  { currency = "" }: { readonly currency?: string | undefined },
): Candidate {
  const charges = [...parts, ...entries].reduce((sum, one) => sum + sumCharges(one, currency), 0);
  return parts.length === 1 && charges > 0 ? { charges } : {};
}

/** Why nobody's account is credited before the operator has looked at it. */
function findDoubt(split: readonly number[] | string, contradicts: boolean, isReturn: boolean) {
  if (typeof split === "string") return split;
  if (contradicts) return "CdtDbtInd: a credit has a debit among its details.";
  return isReturn ? "RtrInf, RRTN or the like: a payment from the account has come back." : undefined;
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

function toPlace(source: EntrySource, detail: number | undefined): BankPlace {
  const { statement, header, number, report, countCopy } = source;
  const page =
    referenceAt(statement, "NtfctnPgntn", "PgNb") ??
    referenceAt(statement, "StmtPgntn", "PgNb") ??
    referenceAt(header, "MsgPgntn", "PgNb");
  const sequence = referenceAt(statement, "ElctrncSeqNb") ?? referenceAt(statement, "LglSeqNb");
  const created = referenceAt(statement, "CreDtTm");
  const named = { statement: referenceAt(statement, "Id"), sequence, page };
  const account = findAll(statement, "Acct", "Id").map((one) => toText(one));
  const copy = countCopy(JSON.stringify([report, account, named, sequence ?? page ?? created]), statement);
  const place = { ...named, created, entry: number, detail, copy: copy > 1 ? copy : undefined };
  return defined(place) as BankPlace;
}

/** What says nothing of the payments: their place, and that they are booked. */
const aside = new Set(["NtryRef", "Sts"]);

function hashContent({ entry, statement }: EntrySource, parts: readonly Element[]): string {
  const own = entry.children.filter(({ name }) => !aside.has(name));
  return hashElements([...findAll(statement, "Acct", "Id"), ...own, ...parts]);
}

/** The operator sees the account, and the entry with these of its details alone. */
function readSource({ entry, statement }: EntrySource, parts: readonly Element[]): Source {
  const given = parts.length > 0 ? [{ ...entry, name: "NtryDtls", attributes: {}, children: parts }] : [];
  const shown = [...findAll(statement, "Acct"), { ...entry, children: [...entry.children, ...given] }];
  const [only] = parts.length === 1 ? parts : [];
  return { input: shown.map((one) => toText(one)).join(""), line: (only ?? entry).line };
}

/** What reports of every kind say of a payment. Of the entry, unless its payment says it. */
const paths = {
  debtor: ["RltdPties/Dbtr/Pty/Nm", "RltdPties/Dbtr/Nm"],
  debtorAccount: ["RltdPties/DbtrAcct/Id/IBAN", "RltdPties/DbtrAcct/Id/Othr/Id"],
  ultimateDebtor: ["RltdPties/UltmtDbtr/Pty/Nm", "RltdPties/UltmtDbtr/Nm"],
  booked: ["BookgDt/Dt", "BookgDt/DtTm"],
  value: ["ValDt/Dt", "ValDt/DtTm"],
  text: ["RmtInf/Ustrd", "RmtInf/Strd/CdtrRefInf/Ref", "RmtInf/Strd/AddtlRmtInf"],
} as const;

const toDay = (written: string) => [written.slice(0, 10)];

/** A time counts as its day, and of a name the words, however long: other reports say less. */
const toSaid: Readonly<Record<string, (written: string) => string[]>> = {
  ...{ debtor: toWords, ultimateDebtor: toWords, booked: toDay, value: toDay },
};

function toWords(written: string): string[] {
  const plain = written.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase();
  return (plain.match(/[\p{L}\p{N}]{2,}/gu) ?? [plain]).map((word) => word.slice(0, 5));
}

/** Hashes: they are compared, never read. */
function readFacts({ entry, statement, header }: EntrySource, parts: readonly Element[]) {
  const read = (ways: readonly string[]) =>
    ways
      .flatMap((path) => [...parts, entry].flatMap((element) => findAll(element, ...path.split("/"))))
      .map(({ text }) => text.trim())
      .join(" ");
  const found = Object.entries(paths).flatMap(([name, ways]) => {
    const written = read(ways);
    const said = toSaid[name]?.(written) ?? [written.replace(/\s+/g, "")];
    return written === "" ? [] : [[name, said.map((one) => sha256(one).slice(0, 16)).join(" ")] as const];
  });
  const day = read(paths.booked) || read(paths.value);
  const isOfZone = /T.*(Z|[+-]\d\d:?\d\d)$/.test(day);
  const made = textAt(statement, "CreDtTm") ?? textAt(header, "CreDtTm");
  const around = (isOfZone ? day : day === "" ? made : undefined)?.slice(0, 10) ?? "";
  return { ...Object.fromEntries(found), ...(Number.isNaN(Date.parse(around)) ? {} : { around }) };
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
function splitEntry(entry: Element, details: readonly Element[], { amount: total, currency }: BankMoney) {
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
