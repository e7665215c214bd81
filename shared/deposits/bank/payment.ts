import * as z from "zod";
import {
  areOthers,
  type BankDeposited,
  type BankEvent,
  type BankPlace,
  BankReferences,
} from "../../contract/bank.ts";
import { dayMs, timestamp } from "../../platform/clock.ts";
import { sha256 } from "../../platform/sha256.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { defineEntity } from "../../platform/table/entity.ts";

/** A deposit as a bank reported it first, by file or by webhook. */
const BankPayment = z.object({
  programId: z.string(),
  depositId: z.string(),
  /** The collecting account: a webhook names none. */
  account: z.string().optional(),
  references: BankReferences,
  report: z.string().optional(),
  content: z.string().optional(),
  facts: z.record(z.string(), z.string()).optional(),
  /** Where reports of it stood, of each statement one place. */
  places: z.array(z.string()).optional(),
  amountMinor: z.int(),
  currency: z.string(),
  /** The report that was the first: in any other, it is known. */
  origin: z.string(),
  /** It waits in suspense: it may be another deposit, which was reported before. */
  isDoubtful: z.boolean().optional(),
  /** The last returns that took of it, as the bank told them. */
  returns: z
    .array(
      z.object({
        returnKey: z.string(),
        /** That of an entry, where a message has told of it, or the other way round. */
        alsoKey: z.string().optional(),
        returnId: z.string().optional(),
        isOfEntry: z.boolean().optional(),
        report: z.string().optional(),
        amountMinor: z.int().optional(),
      }),
    )
    .optional(),
});
export type BankPayment = Readonly<z.output<typeof BankPayment>>;

export const bankPayments = defineEntity({
  name: "bank payment",
  schema: BankPayment,
  key: (programId: string, depositId: string) => ({ pk: `${programId}#${depositId}`, sk: "BANK_REPORT" }),
});

/** Leads from what the bank or the payer calls a payment, its content or its place, to it. */
export const paymentNames = defineEntity({
  name: "payment name",
  schema: z.object({ programId: z.string(), depositId: z.string() }),
  key: (name: string, programId: string, place: string) => ({
    pk: `BANK#${name}`,
    sk: `PAYMENT#${programId}#${place}`,
  }),
});

/** The payments that have one of these names, and the names that more have than are read. */
export async function findNamed(
  names: readonly string[],
  most: number,
  programId?: string,
): Promise<{ payments: BankPayment[]; counts: ReadonlyMap<string, number> }> {
  const found = await Promise.all(
    names.map((name) => paymentNames.first(most, ...([name, programId].filter(Boolean) as [string]))),
  );
  const all = new Map(found.flat().map((one) => [one.depositId, one]));
  const keys = [...all.values()].map((one) => bankPayments.at(one.programId, one.depositId).key);
  const items = keys.length > 0 ? await readBatch(keys) : [];
  return {
    payments: items.map((item) => bankPayments.parse(item)),
    counts: new Map(names.map((name, index) => [name, found[index]?.length ?? 0])),
  };
}

/** What the bank and the payer call it: each name once. */
export function namesIn(references: BankReferences): string[] {
  return [...new Set(Object.values(references).filter((one) => one !== undefined))];
}

/** A reference of more payments than that identifies none. */
export const mostAlike = 50;
export const mostOfSum = 4;

/** What the bank says of a payment, to be compared with what it said before. */
export interface Described
  extends Pick<BankPayment, "account" | "references" | "report" | "content" | "facts">,
    Pick<BankPayment, "amountMinor" | "currency"> {
  readonly place?: string | undefined;
  /** Its statement has a number or a time: what differs at its place is a correction. */
  readonly isNumbered?: boolean;
}

export function describe(
  event: BankDeposited,
  accountId: string | undefined,
  file: string | undefined,
): Described {
  const { account, references, place, report, content, facts, remittance } = event;
  const texts = remittance.map((one) => sha256(one.replace(/\s+/g, "").toUpperCase()).slice(0, 8));
  return {
    account,
    references,
    report,
    content,
    facts: {
      // A webhook says no day: it is sent as the money comes.
      ...(!facts?.booked && !facts?.value && { around: timestamp().slice(0, 10) }),
      ...facts,
      ...(texts.length > 0 && { texts: texts.slice(0, 20).join(" ") }),
      ...(accountId !== undefined && { accountId }),
    },
    amountMinor: event.amount,
    currency: event.currency,
    place: place && toPlace(account, place, file),
    isNumbered: (place?.sequence ?? place?.created) !== undefined,
  };
}

/** File, statement, page, entry and payment. A statement may be sent again in another file. */
function toPlace(account: string | undefined, place: BankPlace, file: string | undefined): string {
  const { statement, sequence, created, page = "", entry, detail = "", copy } = place;
  // Without a number, a statement of the same id is another one if it was made at another time.
  const when = sequence ?? (page === "" ? created : undefined);
  const named = statement === undefined ? [sequence, created] : [statement, when];
  const key = [account, ...named, ...(copy === undefined ? [] : [copy])];
  const statementKey = sha256(JSON.stringify(key)).slice(0, 24);
  // A second one of a file may be the first one again: it is as if it were in another file.
  const own = file === undefined || copy === undefined ? file : `${file}#${copy}`;
  return [own ?? statementKey, statementKey, sha256(page).slice(0, 8), entry, detail].join("/");
}

const inStatement = (place: string) => place.slice(place.indexOf("/") + 1);
const toEntry = (place: string) => place.split("/").slice(1, 4).join("/");

/** Two of one file, or of two pages, are two payments, whatever they have in common. */
function areBeside(one: string, other: string): boolean {
  if (inStatement(one) === inStatement(other)) return false;
  const [file, statement, page] = one.split("/");
  const [otherFile, otherStatement, otherPage] = other.split("/");
  return file === otherFile || (statement === otherStatement && page !== otherPage);
}

/** References by which a bank tells payments apart, if each is of one payment alone. */
const own = ["accountServicer", "uetr", "transaction"] as const;
/** Those of the payer: with the same content, they are of the same payment. */
export const ofPayer = ["endToEnd", "instruction", "clearing"] as const;

/**
 * By which names a report of the same payment is found. Their first free place is written with the
 * payment, so that of two reports at once one comes first.
 */
export function toIdentity({ references, content, place, isNumbered }: Described): string[] {
  const names = [
    ...own.map((kind) => references[kind]),
    references.entry,
    content && `content:${content}`,
    content && place && `place:${inStatement(place)}:${content}`,
    isNumbered && place && own.every((kind) => references[kind] === undefined) && `at:${inStatement(place)}`,
  ];
  return [...new Set(names.filter((one) => typeof one === "string" && one !== ""))] as string[];
}

/** By account, day and amount, or what the payer calls it: the amount may be before charges. */
const creditIn = ({ references, facts = {}, amountMinor, currency }: Described) =>
  [amountMinor, ...ofPayer.map((kind) => references[kind] && `${kind} ${references[kind]}`)].flatMap((of) =>
    onDays("credit", [facts.accountId, of, currency], facts),
  );

/** By what it is a part of, or the whole: an entry that says nothing of its payments. */
const sumIn = ({ account, facts = {}, currency }: Described) =>
  onDays("sum", [account, facts.sum, currency], facts);

/** By its amount: one kind of report may not say for whom it is. */
function amountIn(
  name: "anybody" | "nobody",
  { facts = {}, amountMinor, currency }: Described,
  isForNobody = facts.accountId === undefined,
): string[] {
  if (isForNobody !== (facts.accountId === undefined)) return [];
  return onDays(name, [amountMinor, currency], facts);
}

/** By these names, reports of another kind find it. */
export const creditsIn = (given: Described) =>
  [creditIn(given), sumIn(given), amountIn("anybody", given, true)].flat();

/** By these, too, if one of the two is for nobody. */
export const amountsIn = (given: Described) =>
  [amountIn("anybody", given), amountIn("nobody", given, true)].flat();

const soughtIn = (given: Described) => [...creditsIn(given), ...amountIn("nobody", given, false)];

function onDays(name: string, facts: readonly unknown[], of: Facts): string[] {
  if (facts.includes(undefined)) return [];
  const days = [...new Set(daysIn(of))].filter((day) => day !== undefined);
  return days.map((day) => `${name}:${sha256(JSON.stringify([...facts, day]))}`);
}

/** Without a day, those around its report's. A time of another zone may be of the next one. */
function daysIn({ booked, value, around }: Facts): (string | undefined)[] {
  if (around === undefined) return [booked, value];
  const [before, after] = booked === undefined && value === undefined ? [3, 5] : [1, 1];
  return Array.from({ length: before + 1 + after }, (_, index) => {
    const day = new Date(Date.parse(around) + (index - before) * dayMs);
    return sha256(timestamp(day).slice(0, 10)).slice(0, 16);
  });
}

export interface Known {
  /** Reported before. */
  readonly same?: BankPayment | undefined;
  /** Reported before, perhaps, but something differs. */
  readonly alike?: BankPayment | undefined;
  readonly counts: ReadonlyMap<string, number>;
}

export async function findKnown(programId: string, given: Described): Promise<Known> {
  const names = [...toIdentity(given), ...soughtIn(given)];
  const { payments, counts } = await findNamed(names, mostAlike + 1, programId);
  const possible = payments
    .filter(({ account = given.account }) => given.account === undefined || account === given.account)
    .toSorted((one, other) => (one.depositId < other.depositId ? -1 : 1));
  const { place } = given;
  const there = possible.filter((one) => agrees(given, one));
  const same =
    there.find((one) => isAt(one, place)) ??
    there.find((one) => !isBeside(one, place) && isIdentified(given, one));
  const alike = same ? undefined : possible.find((one) => isDoubt(given, one, possible, counts));
  return { same, alike, counts };
}

const isAt = ({ places = [] }: BankPayment, place: string | undefined) =>
  place !== undefined && places.some((one) => inStatement(one) === inStatement(place));

const isBeside = ({ places = [] }: BankPayment, place: string | undefined) =>
  place !== undefined && places.some((one) => areBeside(one, place));

function agrees(given: Described, known: BankPayment): boolean {
  if (given.amountMinor !== known.amountMinor || given.currency !== known.currency) return false;
  const isOfOneKind = given.report !== undefined && given.report === known.report;
  if (isOfOneKind && given.content && known.content) return given.content === known.content;
  const [one, other] = [given.facts ?? {}, known.facts ?? {}];
  const compared = Object.keys(one).filter((name) => !["texts", "accountId", "around", "sum"].includes(name));
  // One kind of report says less than the other: what both say must be the same.
  const isOneUetr = differs(given.report, known.report) && sharedBy(given, known, ["uetr"]).length > 0;
  // Some banks have two references of their own for one entry.
  const ofBank = isOneUetr ? (["transaction"] as const) : own;
  const kinds = [...ofBank, ...ofPayer, "message"] as const;
  if (kinds.some((kind) => differs(given.references[kind], known.references[kind]))) return false;
  if (compared.some((name) => differs(one[name], other[name]))) return false;
  return compared.some((name) => other[name] !== undefined) || isForSame(one, other);
}

/** In reports of two kinds, which have texts of their own, and perhaps no reference in common. */
function isSameCredit(given: Described, known: BankPayment): boolean {
  if (given.report === known.report || areOfOthers(given, known)) return false;
  const sums = isWhole(given) === isWhole(known) ? [] : sumIn(known);
  const names = new Set([...creditIn(known), ...sums, ...amountsIn(known)]);
  if (!soughtIn(given).some((name) => names.has(name))) return false;
  const [one, other] = [given.facts ?? {}, known.facts ?? {}];
  const isSure = one.around === undefined && other.around === undefined;
  const compared = [...(isSure ? ["booked"] : []), "debtorAccount"];
  if (compared.some((name) => differs(one[name], other[name]))) return false;
  return ["debtor", "ultimateDebtor"].every((name) => haveCommon(one[name], other[name]));
}

const isWhole = ({ facts, amountMinor }: Described) => facts?.sum === String(amountMinor);

/** Files may have two references of the bank's for one entry. What the payer calls it says more. */
function areOfOthers(given: Described, known: BankPayment): boolean {
  const [one, other] = [given.references, known.references];
  const ofBank = given.report !== known.report ? (["uetr", "transaction"] as const) : own;
  const isCalled = sharedBy(given, known, ofPayer).length > 0;
  const kinds = isCalled ? (["uetr"] as const) : [...ofBank, ...ofPayer];
  return kinds.some((kind) => areOthers(one[kind], other[kind]));
}

type Facts = NonNullable<Described["facts"]>;

/** A webhook says only what it is for. */
function isForSame(one: Facts, other: Facts): boolean {
  if (one.accountId !== undefined && other.accountId !== undefined) return one.accountId === other.accountId;
  return haveCommon(one.texts, other.texts);
}

/** Whether two lists of hashes share one. What one of them does not say is the same. */
function haveCommon(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return true;
  const hashes = new Set(one.split(" "));
  return other.split(" ").some((hash) => hashes.has(hash));
}

export const differs = (one: string | undefined, other: string | undefined) =>
  one !== undefined && other !== undefined && one !== other;

function sharedBy(given: Described, known: BankPayment, kinds: readonly (keyof BankReferences)[]) {
  const [one, other] = [given.references, known.references];
  return kinds.filter((kind) => one[kind] !== undefined && one[kind] === other[kind]);
}

function isIdentified(given: Described, known: BankPayment): boolean {
  return sharedBy(given, known, [...own, ...ofPayer]).length > 0;
}

/** A name of payments in several entries is none of a single payment. */
function isDoubt(
  given: Described,
  known: BankPayment,
  possible: readonly BankPayment[],
  counts: Known["counts"],
): boolean {
  if (isBeside(known, given.place) && !isAt(known, given.place)) return false;
  const isSameContent = given.content !== undefined && given.content === known.content;
  if ((isSameContent && !isIdentified(given, known)) || isSameCredit(given, known)) return true;
  const isCorrected = given.isNumbered && isAt(known, given.place) && !areOfOthers(given, known);
  if (isCorrected && given.facts?.booked === known.facts?.booked) return true;
  const names = sharedBy(given, known, own).map((kind) => given.references[kind]);
  return [...names, ...wholeAndPart(given, known)].some((name) => {
    if (name === undefined || (counts.get(name) ?? 0) > mostAlike) return false;
    const others = possible.filter((one) => !one.isDoubtful && Object.values(one.references).includes(name));
    const entries = others.map(({ depositId, places: [first] = [] }) => (first ? toEntry(first) : depositId));
    return new Set(entries).size < 2;
  });
}

/** An entry that is reported as a whole, and in its parts. */
function wholeAndPart(given: Described, known: BankPayment): (string | undefined)[] {
  const [one, other] = [given.references, known.references];
  if ((one.entry === undefined) === (other.entry === undefined)) return [];
  const [whole, part] = one.entry === undefined ? [one, other] : [other, one];
  return whole.accountServicer === part.entry ? [part.entry] : [];
}

export interface BankReport {
  readonly event: BankEvent;
  /** Names the report: a message's id, or a file and its record. A repetition has the same one. */
  readonly origin: string;
  /** By its content: two records of a file are two payments. */
  readonly file?: string | undefined;
  /** Where a connection says the Program. A file's account says it. */
  readonly programId?: string;
}

export type BankOutcome =
  | {
      readonly status: "applied" | "duplicate" | "suspense";
      readonly programId: string;
      /** What waits in suspense of an entry that is applied but for this. */
      readonly waitingMinor?: number;
    }
  | { readonly status: "rejected"; readonly reason: string; readonly programId?: string };
