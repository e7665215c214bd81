import * as z from "zod";
import type { Change } from "../../changes/change.ts";
import { execute } from "../../changes/execute.ts";
import type { BankPage, BankStatement } from "../../contract/bank.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { newId } from "../../platform/id.ts";
import { refusedInputs, refusedPut } from "../../platform/refused/refused-input.ts";
import { isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { findProgramOfAccount } from "../../tenancy/programs/collecting-account.ts";

const opening = { statement: z.string(), date: z.string(), amount: z.int() };

/** The pages of a statement that have come. None are kept of one that is whole. */
const Paged = z.object({
  names: z.array(z.string()),
  made: z.string(),
  numbers: z.array(z.int()),
  first: z.int().optional(),
  last: z.int().optional(),
  refusedId: z.string().optional(),
  /** What the record says. */
  missing: z.string().optional(),
});
type Paged = Readonly<z.output<typeof Paged>>;

/** With what an account's statements closed, by day, and which ones follow from none of them. */
const StatementBalances = z.object({
  version: z.int(),
  closings: z.array(z.object({ ...opening, amount: z.int().optional() })),
  gaps: z.array(z.object({ ...opening, refusedId: z.string() })),
  paged: z.array(Paged).optional(),
});
type StatementBalances = Readonly<z.output<typeof StatementBalances>>;
type Closing = StatementBalances["closings"][number];
type Opening = Omit<StatementBalances["gaps"][number], "refusedId">;

const statementBalances = defineEntity({
  name: "statement balances",
  schema: StatementBalances,
  key: (programId: string, account: string, currency: string) => ({
    pk: `${programId}#BANK_ACCOUNT#${account}#${currency}`,
    sk: "STATEMENTS",
  }),
});

/** Two months of a daily statement. */
const mostClosings = 62;
const mostGaps = 20;
const mostPaged = 20;
/** With 20 statements whose pages each have names of their own, the item is below its 400 KB. */
const [mostNames, longestMissing] = [200, 500];

interface Followed extends BankStatement {
  readonly programId: string;
  readonly file: string;
}

interface Found {
  readonly "statement balances": StatementBalances | undefined;
}

/**
 * Keeps the closing balances, and one record for the operator of each statement that opens with
 * another balance than those before it closed with, or lacks a page. The record goes when the
 * missing one comes.
 */
const followed: Change<Followed, Found, undefined, never> = {
  reads: ({ programId, account, currency }) => ({
    "statement balances": statementBalances.at(programId, account, currency),
  }),
  decide: (given, found) => {
    const { programId, account, currency, statement, opening, closing } = given;
    const before = found["statement balances"] ?? { version: 0, closings: [], gaps: [] };
    const closings = closing ? add(before.closings, { statement, ...closing }) : before.closings;
    const own = opening && { statement, ...opening };
    const open = before.gaps.filter((gap) => {
      // A page further on says nothing of the opening.
      const isKept = gap.statement !== statement || (own?.amount ?? gap.amount) === gap.amount;
      return isKept && !findBefore(closings, gap).some((one) => leads(one, gap));
    });
    const last = own ? findBefore(closings, own) : [];
    const isGap = own && last.length > 0 && !last.some((one) => leads(one, own));
    const isNewGap = isGap && !open.some((gap) => gap.statement === statement);
    const gone = before.gaps.filter((gap) => !open.includes(gap));
    const pages = followPages(before.paged ?? [], given);
    const isKnown = closings === before.closings && !isNewGap && gone.length === 0;
    if (isKnown && !pages) return { done: undefined };
    const refusedId = newId("refused");
    const gaps = (isNewGap ? [...open, { ...own, refusedId }] : open).slice(-mostGaps);
    const paged = pages?.paged ?? before.paged;
    const item = { version: before.version + 1, closings, gaps, ...(paged && { paged }) };
    const condition = before.version > 0 ? { version: before.version } : isNew;
    const writes = [
      statementBalances.at(programId, account, currency).put(item, condition),
      ...(isNewGap ? [refusedPut(describe(given, own, last.at(-1)), refusedId)] : []),
      ...gone.map((gap) => refusedInputs.at(gap.refusedId).delete()),
      ...(pages?.writes ?? []),
    ];
    return { writes, answer: undefined };
  },
};

/** Undefined if it says nothing new of pages. */
function followPages(before: readonly Paged[], given: Followed) {
  const { page, made = "" } = given;
  const own = page && findPaged(before, page, made);
  const isKnown = !page || (own && (own.numbers.length === 0 || own.numbers.includes(page.number)));
  const all = isKnown ? before : [...before.filter((one) => one !== own), addPage(own, page, made)];
  const latest = [made, ...all.map((one) => one.made)].toSorted().at(-1) ?? "";
  const writes: WriteAction[] = [];
  const paged = all.map((one) => {
    const missing = findMissing(one, latest).slice(0, longestMissing);
    const { refusedId, missing: told = "", ...rest } = one;
    if (missing === told) return one;
    if (refusedId !== undefined) writes.push(refusedInputs.at(refusedId).delete());
    if (missing === "") return rest;
    const newRefusedId = newId("refused");
    writes.push(refusedPut(describeMissing(given, one, missing), newRefusedId));
    return { ...rest, refusedId: newRefusedId, missing };
  });
  return isKnown && writes.length === 0 ? undefined : { paged: paged.slice(-mostPaged), writes };
}

/** Banks name all pages alike, or each by itself: then the day and the number count. */
function findPaged(all: readonly Paged[], { names, number }: BankPage, made: string): Paged | undefined {
  const [name = ""] = names;
  const lacks = ({ numbers, last = number }: Paged) =>
    numbers.length > 0 && !numbers.includes(number) && number <= last;
  return (
    all.findLast((one) => one.names.includes(name)) ??
    all.findLast((one) => one.names.some((own) => names.includes(own)) && lacks(one)) ??
    all.find((one) => one.made === made && lacks(one))
  );
}

function addPage(before: Paged | undefined, { names, number, isFirst, isLast }: BankPage, made: string) {
  const all: Paged = {
    ...(before ?? { made }),
    names: [...new Set([...(before?.names ?? []), ...names])].slice(-mostNames),
    numbers: [...(before?.numbers ?? []), number],
    ...(isFirst && { first: number }),
    ...(isLast && { last: number }),
  };
  const isWhole = all.first !== undefined && all.last !== undefined && findMissing(all, "") === "";
  return isWhole ? { ...all, numbers: [] } : all;
}

/** Its end is missed when something later comes, and from then on. */
function findMissing({ numbers, first = 1, last, made, missing: told }: Paged, latest: string): string {
  const to = last ?? Math.max(0, ...numbers);
  const all = Array.from({ length: Math.max(0, to + 1 - first) }, (_, index) => first + index);
  const missing = numbers.length > 0 ? all.filter((one) => !numbers.includes(one)).map(String) : [];
  const isEndMissed = last === undefined && (made < latest || told?.endsWith("the last"));
  return [...missing, ...(isEndMissed ? ["the last"] : [])].join(", ");
}

function describeMissing({ programId, account, currency, input }: Followed, one: Paged, missing: string) {
  const which = `of ${account} in ${currency}, made on ${one.made} (${one.names.join(", ")})`;
  const reason = `Pages: of the statement ${which}, these have not come: ${missing}. If they come, this record goes.`;
  return { port: "bank", reason, input, programId } as const;
}

const leads = ({ amount }: Closing, opening: Opening) => amount === undefined || amount === opening.amount;

/** The same array if it is there already. */
function add(closings: Closing[], closing: Closing): Closing[] {
  const before = closings.find((one) => one.statement === closing.statement);
  if (before?.amount === closing.amount && before) return closings;
  const all = [...closings.filter((one) => one !== before), closing];
  return all.toSorted((one, other) => one.date.localeCompare(other.date)).slice(-mostClosings);
}

/**
 * Those of the last day before, and of its own: banks date an opening by either, and may send
 * several a day. None if no day before is known.
 */
function findBefore(closings: readonly Closing[], { statement, date }: Opening): Closing[] {
  const known = closings.filter((one) => one.date <= date && one.statement !== statement);
  const last = known.findLast((one) => one.date < date)?.date;
  return last === undefined ? [] : known.filter((one) => one.date >= last);
}

function describe({ programId, file, currency, input }: Followed, opening: Opening, last?: Closing) {
  const [from, to] = [last, opening].map(
    (one) => `${toDecimal(one?.amount ?? 0, countDecimals(currency))} ${currency} on ${one?.date}`,
  );
  const reason = `${file}: Bal: it opens with ${to}, but the statement before closed with ${from}. One between them is missing. If it comes, this record goes.`;
  return { port: "bank", reason, input, programId } as const;
}

/** Nothing is kept of an account on which no Program collects. */
export async function followStatement(statement: BankStatement, file: string): Promise<void> {
  const program = await findProgramOfAccount(statement.account);
  if (program) await execute(followed, { ...statement, programId: program.programId, file });
}
