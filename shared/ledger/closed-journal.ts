import { createHash } from "node:crypto";
import * as z from "zod";
import type { IdKind } from "../contract/identifiers.ts";
import { now } from "../platform/clock.ts";
import { changeIdTime, earliestChangeId, idStart, ulidTimeLength } from "../platform/id.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readPages, toPartitionQuery } from "../platform/table/query.ts";

type Item = Readonly<Record<string, unknown>>;

/** The beginnings of sort keys of items with journal entries, and the kinds of ids behind them. */
export const journalParts = {
  card: { ENTRY: "journalEntry", TRANSACTION: "transaction", FEE: "fee" },
  wallet: { ENTRY: "journalEntry", TRANSFER: "transfer" },
} as const satisfies Record<string, Record<string, IdKind>>;

/**
 * In the place of a Card's journal entries of a month that is closed and proved: the locked object
 * that has them. From the moment it is written the object counts, and items that are still there
 * do not: whoever is killed between two writes loses and doubles nothing.
 */
const MovedMonth = z.object({
  movedTo: z.string(),
  sha256: z.string(),
  entries: z.int(),
  movedAt: z.string(),
});
export type MovedMonth = Readonly<z.output<typeof MovedMonth>>;

/** Before all entries of the month: whoever reads these reads it first. */
export const movedMonths = defineEntity({
  name: "movedMonth",
  schema: MovedMonth,
  key: (programId: string, cardId: string, month: Month) => ({
    pk: `${programId}#${cardId}`,
    sk: month.first,
  }),
});

/** A calendar month in UTC, with the sort keys of its entries. */
export interface Month {
  /** Such as `2026-11`. */
  readonly name: string;
  readonly from: Date;
  readonly until: Date;
  readonly first: string;
  /** No entry of the month has it. */
  readonly end: string;
}

const partStart = `ENTRY#${idStart("journalEntry")}`;

export function toMonth(at: Date): Month {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const [from, until] = [new Date(Date.UTC(year, month)), new Date(Date.UTC(year, month + 1))];
  const toBound = (at: Date) => `${partStart}${earliestChangeId(at)}`;
  const [first, end] = [toBound(from), toBound(until)];
  return { name: from.toISOString().slice(0, 7), from, until, first, end };
}

/** Whole months that stay in the table, beside the one under way. */
const keptMonths = 13;

/** Months that end by then are to be moved. */
export function keptSince(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - keptMonths));
}

/** Whether it is an entry of a Card that should have left the table a month ago. */
export function isOverdue({ pk, sk }: Item, at: Date): boolean {
  const { first } = toMonth(new Date(keptSince(at).getTime() - 1));
  const isEntry = String(sk).startsWith(partStart) && String(sk) < first;
  return isEntry && withoutProgram(String(pk)).startsWith(idStart("card"));
}

function withoutProgram(pk: string): string {
  return pk.slice(pk.indexOf("#") + 1);
}

export function isMovedMonth(item: Item): boolean {
  return item.movedTo !== undefined;
}

/** Months of the last year are never moved: a reading that begins later looks for none. */
const youngestMovedMs = 366 * 86_400_000;

/**
 * The items of a part of an account's journal, in key order, wherever they are. An entry costs the
 * same call as before; a month that was moved costs one more.
 */
export async function* readJournalPages(
  pk: string,
  { first, last }: { readonly first: string; readonly last: string },
): AsyncGenerator<Item[], void> {
  const begin = first.startsWith(partStart) ? beginOfMonthIfOld(first) : first;
  const whole = new WholeJournal();
  const isWanted = ({ sk }: Item) => String(sk) >= first && String(sk) <= last;
  for await (const page of readPages(toPartitionQuery(pk, { first: begin, last }))) {
    const items: Item[] = [];
    for (const item of page) items.push(...(await whole.add(item)));
    yield items.filter(isWanted);
  }
  const rest = whole.end().filter(isWanted);
  if (rest.length > 0) yield rest;
}

/** Puts moved entries in the place of their month, as items of the table come in key order. */
export class WholeJournal {
  #moved: Item[] = [];

  /** What comes next, up to this item. */
  async add(item: Item): Promise<Item[]> {
    const next: Item[] = [];
    const isBefore = (one: Item) => one.pk !== item.pk || String(one.sk) < String(item.sk);
    while (this.#moved[0] && isBefore(this.#moved[0])) next.push(this.#moved.shift() as Item);
    if (isMovedMonth(item)) this.#moved = await readMoved(String(item.pk), MovedMonth.parse(item));
    // One that is not deleted yet: the object has it.
    else if (String(this.#moved[0]?.sk) !== String(item.sk)) next.push(item);
    return next;
  }

  end(): Item[] {
    return this.#moved.splice(0);
  }
}

export async function* readJournalItems(
  pk: string,
  keys: { readonly first: string; readonly last: string },
): AsyncGenerator<Item, void> {
  for await (const page of readJournalPages(pk, keys)) yield* page;
}

/** A reading that begins within an old month begins with the month, whose entries may be moved. */
function beginOfMonthIfOld(first: string): string {
  const time = first.slice(partStart.length, partStart.length + ulidTimeLength);
  const isOld = time < earliestChangeId(new Date(now().getTime() - youngestMovedMs));
  return isOld ? toMonth(new Date(changeIdTime(time))).first : first;
}

/** @throws Error if the object is gone, or is not the one that was written */
export async function readMoved(pk: string, { movedTo, sha256, entries }: MovedMonth): Promise<Item[]> {
  // Late: few readings go so far back, and S3's client takes long to load.
  const { recordsBucket } = await import("../platform/file-store.ts");
  const bytes = await recordsBucket.read(movedTo);
  if (bytes === undefined) throw new Error(`The closed month ${movedTo} is gone.`);
  const items = fromLines(Buffer.from(bytes).toString());
  if (hashBytes(bytes) !== sha256 || items.length !== entries)
    throw new Error(`The closed month ${movedTo} is not the one that was written.`);
  return items.map((item) => ({ ...item, pk }));
}

/** One entry in a line, without the partition, which the object's name has. */
export function toLines(items: readonly Item[]): string {
  return items.map(({ pk: _, ...item }) => `${JSON.stringify(item)}\n`).join("");
}

function fromLines(text: string): Item[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Item => JSON.parse(line));
}

export function hashBytes(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
