import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { programLists } from "../../../shared/list-kinds.ts";
import { listChange } from "../../../shared/lists/entry.ts";
import type { Entry, List, ListKind } from "../../../shared/lists/kind.ts";
import { compareEntries } from "../../../shared/lists/page-spec.ts";
import { entryIn, sumEntries } from "../../../shared/lists/segment.ts";
import { selectPage } from "../../../shared/lists/select-page.ts";
import { readSnapshot, storedParts } from "../../../shared/lists/store.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";

/** A list of its own, and all that was ever written into it. */
export interface GivenList extends List {
  readonly written: Entry[];
}

const { rides: _rides, minimumChanges: _minimum, ...attributes } = transactionList;
/** The list of transactions, if each of its changes had a row of its own. */
export const plainList: ListKind = { ...attributes, name: "plain" };
(programLists as ListKind[]).push(plainList);

export function givenList(kind: ListKind = plainList): GivenList {
  return { programId: newId("program"), kind, written: [] };
}

/** Mostly new records, some of which change at once. The records themselves are not written. */
export async function writeChanges(list: GivenList, count: number): Promise<Key[]> {
  const rows = Array.from({ length: count }, (_, index) => {
    const entry = newEntry(index);
    const old = list.written[index * 7];
    const entries = index % 10 === 3 && old && old.weight > 0 && isFirst(list, old) ? changed(old) : [entry];
    list.written.push(...entries);
    return rowOf(list, entries);
  });
  await writeBatch(rows.map((row) => ({ put: row })));
  return rows;
}

/** As the stream delivers new rows. Without the time of their commit, they may have come late. */
export function eventOf(rows: readonly Key[], committedAt?: Date): DynamoDBStreamEvent {
  const seconds = committedAt && Math.floor(committedAt.getTime() / 1_000);
  return {
    Records: rows.map((row) => ({
      eventName: "INSERT" as const,
      dynamodb: {
        NewImage: marshall(row, { removeUndefinedValues: true }) as never,
        ...(seconds !== undefined && { ApproximateCreationDateTime: seconds }),
      },
    })),
  };
}

/** A change that is not written yet. */
export function rowOf(list: List, entries: readonly Entry[]): Key {
  const action = listChange(list, entries);
  if (!("Put" in action)) throw new Error("A change is written by a put.");
  return action.Put.Item as unknown as Key;
}

export function newEntry(index: number): Entry {
  const createdAt = Date.now();
  const cardId = newId("card");
  const values = [20 + (index % 3), 3, createdAt, (index * 7_919) % 5_000, cardId, "DR", "5411"];
  return { id: newId("transaction"), createdAt, values, weight: 1 };
}

function changed(entry: Entry): Entry[] {
  return [
    { ...entry, weight: -1 },
    { ...entry, values: [18, 2, ...entry.values.slice(2)] },
  ];
}

function isFirst({ written }: GivenList, entry: Entry): boolean {
  return written.filter(({ id }) => id === entry.id).length === 1;
}

/** What a reader finds in the list, and how many it counts. */
export async function readList(list: List) {
  const parts = storedParts(list, 3, await readSnapshot(list, 3));
  const { entries, total } = await selectPage(list.kind, parts, {
    ...{ order: 3, descending: false, offset: 0, limit: Number.POSITIVE_INFINITY },
    ...{ after: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY, equal: [], unequal: [] },
  });
  return { rows: entries.map(({ id, values }) => [id, ...values]), total };
}

/** What is to be found: the sum of all that was written. */
export function expectedOf({ kind, written }: GivenList) {
  const live = sumEntries(written)
    .toSorted(compareEntries(3))
    .map((entry) => entryIn(kind, 3, entry));
  return { rows: live.map(({ id, values }) => [id, ...values]), total: live.length };
}

/** Holds the first call that `picks` names until it is let go, as a process that sleeps would. */
export function holdCall(picks: (input: string) => boolean) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let held = false;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (held || !picks(JSON.stringify(args.input))) return next(args);
      held = true;
      reached.resolve();
      await released.promise;
      return next(args);
    },
    { step: "initialize", name: "hold-call" },
  );
  return {
    reached: reached.promise,
    release: () => {
      table.middlewareStack.remove("hold-call");
      released.resolve();
    },
  };
}

/** Gives each test of a file days of its own, from one on: ids never go back in time. */
export function useOwnDays(firstDay: number, days = 1): void {
  let day = firstDay;
  beforeEach(() => {
    day += days * 86_400_000;
    vi.useFakeTimers({ toFake: ["Date"], now: day });
  });
  afterEach(() => void vi.useRealTimers());
}

/** Lets time pass. */
export function later(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** A reader finds all that was ever written, and nothing else. */
export async function expectExact(list: GivenList): Promise<void> {
  expect(await readList(list)).toEqual(expectedOf(list));
}
