import * as z from "zod";
import { cardholders, fullName } from "../cardholders/cardholder.ts";
import { getCard, maskCardNumber } from "../cards/card.ts";
import type { Currency } from "../contract/enums.ts";
import type { StatementLine } from "../contract/statements.ts";
import type { Account } from "../ledger/account.ts";
import { timestamp } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { settleMs } from "../proofs/checkpoint.ts";
import { digestEntry } from "../proofs/journal-tally.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { tenants } from "../tenancy/tenant.ts";
import { getWallet } from "../wallets/wallet.ts";
import { Printed } from "./formats/sheet.ts";
import { toPosted } from "./lines.ts";
import { dayNames, type Month, monthsUntil } from "./months.ts";
import { isMovement, isPaid, type Movement, type Paid, readMovements } from "./movements.ts";

/** What a statement says of its Card or Wallet. `printed` is what may change. */
export interface StatementAccount extends Account {
  readonly programId: string;
  readonly currency: Currency;
  /** Without the names that take another read. */
  readonly printed: Printed;
  /** Asked for when something is written that has it. */
  readonly readPrinted: () => Promise<Printed>;
  /** From the one in which it was created, the oldest first. */
  readonly months: readonly Month[];
}

/** @throws ApiError NOT_FOUND */
export async function readStatementAccount(
  programId: string,
  account: Account,
  at: Date,
): Promise<StatementAccount> {
  const [program, described] = await Promise.all([
    getProgram(programId),
    describeAccount(programId, account),
  ]);
  const { createdAt, currency, cardholderId, ...names } = described;
  const months = monthsUntil(program, at).filter(({ until }) => until.getTime() > Date.parse(createdAt));
  const printed = { ...names, programName: program.name };
  const readPrinted = async () => {
    const [tenant, holder] = await Promise.all([
      tenants.at(program.tenantId).get(),
      cardholderId === undefined ? undefined : cardholders.at(programId, cardholderId).get(),
    ]);
    return {
      ...printed,
      ...(tenant && { issuerName: tenant.name }),
      ...(holder && { holderName: fullName(holder) }),
    };
  };
  return { programId, ...account, currency, printed, readPrinted, months };
}

async function describeAccount(programId: string, { kind, accountId }: Account) {
  if (kind === "wallet") {
    const { name, currency, createdAt } = await getWallet(programId, accountId);
    return { name, currency, createdAt };
  }
  const card = await getCard(programId, accountId);
  const { nameOnCard: name, cardholderId, currency, createdAt } = card;
  return { name, cardNumber: maskCardNumber(card), cardholderId, currency, createdAt };
}

/** @throws ApiError NOT_FOUND for a month before the account, or after this one */
export function findMonth({ months }: StatementAccount, period: string): number {
  const index = months.findIndex((month) => month.period === period);
  if (index < 0) throw new ApiError("NOT_FOUND");
  return index;
}

export interface Statement {
  readonly totals: Totals;
  readonly lines: readonly StatementLine[];
}

/** A closed one has what its month was closed with. */
export interface MadeStatement extends Statement {
  readonly kept?: ClosedMonth;
}

export interface Limits {
  readonly maximumEntries: number;
  readonly isTimeUp: () => boolean;
}

/** Undefined if it takes more than the limits allow. Stores a closed month's totals. */
export async function makeStatement(
  account: StatementAccount,
  index: number,
  at: Date,
  limits: Limits,
): Promise<MadeStatement | undefined> {
  const month = account.months[index] as Month;
  const stored = await lastClosedMonth(account.programId, account.accountId, month.period);
  const own = stored?.period === month.period ? stored : undefined;
  const openingMinor = await sumBefore(account, index, stored, at, limits.isTimeUp);
  if (openingMinor === undefined) return undefined;
  if (own && own.entries > limits.maximumEntries) return undefined;
  const span = { from: index === 0 ? undefined : month.from, until: month.until };
  const made = await writeLines(account, month, { span, totals: noTotals(openingMinor), ...limits });
  if (!made.isComplete) return undefined;
  if (!isClosed(month, at)) return made;
  return { ...made, kept: await keepClosedMonth(account, month, made.totals, own) };
}

/** The balance at the beginning of a month. Undefined if the sum takes more than allowed. */
async function sumBefore(
  account: StatementAccount,
  index: number,
  stored: ClosedMonth | undefined,
  at: Date,
  isTimeUp: Limits["isTimeUp"],
): Promise<number | undefined> {
  if (stored?.period === account.months[index]?.period) return stored?.openingMinor;
  const { months, begun } = monthsToSum(account, index, stored);
  const sum = await sumMonths(account, { months, isFirst: !stored, at, isTimeUp }, begun);
  return sum.index === months.length ? sum.totals.closingMinor : undefined;
}

/** The months between the last one that was closed and this one. */
export function monthsToSum(
  { months }: StatementAccount,
  index: number,
  stored: ClosedMonth | undefined,
): { months: readonly Month[]; begun: Sum } {
  const first = stored ? months.findIndex(({ period }) => period === stored.period) + 1 : 0;
  return {
    months: months.slice(first, index),
    begun: { index: 0, totals: noTotals(stored?.closingMinor ?? 0) },
  };
}

interface Reading extends Limits {
  readonly span: Parameters<typeof readMovements>[2];
  readonly totals: Totals;
}

/** So many movements look up their records together. */
const movementsTogether = 100;

/** The lines of a span of the month, after those that `totals` has. */
export async function writeLines(
  account: StatementAccount,
  month: Month,
  { span, maximumEntries, isTimeUp, ...begun }: Reading,
): Promise<Statement & { readonly isComplete: boolean; readonly after: string | undefined }> {
  const { programId } = account;
  const toDay = dayNames(month);
  const lines: StatementLine[] = [];
  let { totals } = begun;
  let balance = totals.closingMinor;
  let { after } = span;
  let waiting: (Movement | Paid)[] = [];
  let taken = 0;
  const flush = async () => {
    for (const posted of await toPosted(programId, account, waiting)) {
      const { atMs, type, description, amount, ...ids } = posted;
      balance += amount;
      lines.push({ date: toDay(atMs), type, description, amount, balance, ...ids });
    }
    waiting = [];
  };
  let isComplete = true;
  for await (const movement of readMovements(programId, account, span)) {
    if (isMovement(movement) || isPaid(movement)) {
      // One more than allowed is left to another reading.
      isComplete = taken < maximumEntries;
      if (!isComplete) break;
      taken += 1;
      if (isMovement(movement)) totals = withMovement(totals, movement);
      if (waiting.push(movement) === movementsTogether) await flush();
    }
    after = movement.ulid;
    isComplete = !isTimeUp();
    if (!isComplete) break;
  }
  await flush();
  return { totals, lines, isComplete, after };
}

/** No commit can add to the month any more: each began before the month's end, and has ended. */
export function isClosed({ until }: Month, at: Date): boolean {
  return until.getTime() + settleMs <= at.getTime();
}

/** What an account's movements of one month add up to. */
const Totals = z.object({
  openingMinor: z.int(),
  closingMinor: z.int(),
  entries: z.int(),
  /** Over the month's entries in order. */
  hash: z.string(),
});
export type Totals = Readonly<z.output<typeof Totals>>;

/** A month that has settled. It follows from the journal: each that writes it writes the same. */
const ClosedMonth = Totals.extend({
  period: z.string(),
  from: z.string(),
  until: z.string(),
  /** How its statement is rendered: another layout must not change the bytes of this one. */
  layout: z.literal(1),
  /** From when it was first made. */
  printed: Printed,
});
type ClosedMonth = Readonly<z.output<typeof ClosedMonth>>;

export const closedMonths = defineEntity({
  name: "closedMonth",
  schema: ClosedMonth,
  key: (programId: string, accountId: string, period: string) => ({
    pk: `${programId}#${accountId}`,
    sk: `STATEMENT#${period}`,
  }),
});

/** The last closed month that is stored, up to this period. */
export async function lastClosedMonth(
  programId: string,
  accountId: string,
  period: string,
): Promise<ClosedMonth | undefined> {
  const { pk, sk: last } = closedMonths.at(programId, accountId, period).key;
  const newestFirst = {
    ...toPartitionQuery(pk, { first: "STATEMENT#", last }),
    ScanIndexForward: false,
    Limit: 1,
  };
  for await (const item of readItems(newestFirst)) return closedMonths.parse(item);
  return undefined;
}

/**
 * The month as it is stored: the first one to close it says what is printed.
 * @throws Error if it was closed with other totals: its journal has changed
 */
async function keepClosedMonth(
  { programId, accountId, readPrinted }: StatementAccount,
  { period, from, until }: Month,
  { openingMinor, closingMinor, entries, hash }: Totals,
  stored?: ClosedMonth,
): Promise<ClosedMonth> {
  const closed: ClosedMonth = {
    ...{ period, from: timestamp(from), until: timestamp(until) },
    ...{ openingMinor, closingMinor, entries, hash, layout: 1 },
    printed: stored?.printed ?? (await readPrinted()),
  };
  const kept = stored ?? (await closedMonths.at(programId, accountId, period).createNow(closed)) ?? closed;
  if (summary(kept) !== summary(closed))
    throw new Error(`The statement ${period} of ${accountId} was closed with other totals.`);
  return kept;
}

function summary(closed: ClosedMonth): string {
  return JSON.stringify(ClosedMonth.omit({ printed: true }).parse(closed));
}

export function noTotals(openingMinor: number): Totals {
  return { openingMinor, closingMinor: openingMinor, entries: 0, hash: "" };
}

function withMovement(totals: Totals, { amountMinor, entry }: Movement): Totals {
  return {
    openingMinor: totals.openingMinor,
    closingMinor: totals.closingMinor + amountMinor,
    entries: totals.entries + 1,
    hash: digestEntry(entry, totals.hash),
  };
}

/** A sum under way: of the months in their order, and of the one that is being added up. */
export const Sum = z.object({ index: z.int(), totals: Totals, after: z.string().optional() });
export type Sum = Readonly<z.output<typeof Sum>>;

interface Summing {
  readonly months: readonly Month[];
  /** They begin with the account's first entry. */
  readonly isFirst: boolean;
  readonly at: Date;
  /** Asked after each movement. */
  readonly isTimeUp: () => boolean;
}

/**
 * Adds up months in one reading, and stores the last one. `index` is the number of months when all
 * are added.
 */
export async function sumMonths(
  account: StatementAccount,
  { months, isFirst, at, isTimeUp }: Summing,
  begun: Sum,
): Promise<Sum & { readonly kept?: ClosedMonth }> {
  let { index, totals, after } = begun;
  const finish = (atMs: number) => {
    for (let month = months[index]; month && month.until.getTime() <= atMs; month = months[index]) {
      index += 1;
      if (index < months.length) totals = noTotals(totals.closingMinor);
    }
  };
  const [first] = months;
  const last = months.at(-1);
  if (!first || !last) return begun;
  const span = { from: isFirst ? undefined : first.from, until: last.until, after };
  for await (const movement of readMovements(account.programId, account, span)) {
    if (isMovement(movement)) {
      finish(movement.atMs);
      totals = withMovement(totals, movement);
    }
    after = movement.ulid;
    if (isTimeUp()) return { index, totals, after };
  }
  finish(last.until.getTime());
  if (!isClosed(last, at)) return { index, totals, after };
  return { index, totals, after, kept: await keepClosedMonth(account, last, totals) };
}
