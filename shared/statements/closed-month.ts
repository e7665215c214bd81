import * as z from "zod";
import type { Account } from "../ledger/account.ts";
import { timestamp } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { settleMs } from "../proofs/checkpoint.ts";
import { digestEntry } from "../proofs/journal-tally.ts";
import { Printed } from "./formats/sheet.ts";
import type { Month } from "./months.ts";
import { isMovement, type Movement, readMovements } from "./movements.ts";

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

/** Asked for when something is written that has it. */
export type ReadPrinted = () => Promise<Printed>;

/** A month that has settled. It follows from the journal: each that writes it writes the same. */
const ClosedMonth = Totals.extend({
  period: z.string(),
  from: z.string(),
  until: z.string(),
  /** How its statement is rendered: another layout must not change the bytes of this one. */
  layout: z.literal(1),
  /** From when it was first made. Absent from what an earlier version has closed. */
  printed: Printed.optional(),
});
export type ClosedMonth = Readonly<z.output<typeof ClosedMonth>>;

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

interface Closing {
  readonly programId: string;
  readonly account: Account;
  readonly month: Month;
  readonly readPrinted: ReadPrinted;
}

/**
 * The month as it is stored: the first one to close it says what is printed.
 * @throws Error if it was closed with other totals: its journal has changed
 */
export async function keepClosedMonth(
  { programId, account: { accountId }, month, readPrinted }: Closing,
  { openingMinor, closingMinor, entries, hash }: Totals,
  stored?: ClosedMonth,
): Promise<ClosedMonth> {
  const { period, from, until } = month;
  const closed: ClosedMonth = {
    ...{ period, from: timestamp(from), until: timestamp(until) },
    ...{ openingMinor, closingMinor, entries, hash, layout: 1 },
    printed: stored ? stored.printed : await readPrinted(),
  };
  const kept = stored ?? (await closedMonths.at(programId, accountId, period).createNow(closed)) ?? closed;
  if (summary(kept) !== summary(closed))
    throw new Error(`The statement ${period} of ${accountId} was closed with other totals.`);
  return kept;
}

function summary({ printed: _, ...closed }: ClosedMonth): string {
  return JSON.stringify(ClosedMonth.parse(closed));
}

export function noTotals(openingMinor: number): Totals {
  return { openingMinor, closingMinor: openingMinor, entries: 0, hash: "" };
}

export function withMovement(totals: Totals, { amountMinor, entry }: Movement): Totals {
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
  readonly programId: string;
  readonly account: Account;
  /** The first of an account begins with its first entry. */
  readonly months: readonly Month[];
  readonly isFirst: boolean;
  readonly at: Date;
  readonly readPrinted: ReadPrinted;
  /** Asked after each movement. */
  readonly isTimeUp: () => boolean;
}

/**
 * Adds up months in one reading, and stores the last one. `index` is the number of months when all
 * are added.
 */
export async function sumMonths(
  { programId, account, months, isFirst, at, readPrinted, isTimeUp }: Summing,
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
  for await (const movement of readMovements(programId, account, span)) {
    if (isMovement(movement)) {
      finish(movement.atMs);
      totals = withMovement(totals, movement);
    }
    after = movement.ulid;
    if (isTimeUp()) return { index, totals, after };
  }
  finish(last.until.getTime());
  if (!isClosed(last, at)) return { index, totals, after };
  const kept = await keepClosedMonth({ programId, account, month: last, readPrinted }, totals);
  return { index, totals, after, kept };
}
