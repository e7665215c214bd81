import { moveDate } from "../../../infra/local/moved-date.ts";
import { holdList } from "../../../shared/authorizations/holds/hold.ts";
import { type Cardholder, cardholderList } from "../../../shared/cardholders/cardholder.ts";
import type { Card } from "../../../shared/cards/card.ts";
import { cardList } from "../../../shared/cards/card-view.ts";
import { zeroBalances } from "../../../shared/ledger/postings.ts";
import { compactList } from "../../../shared/lists/compaction.ts";
import { listChange } from "../../../shared/lists/entry.ts";
import { type Entry, entryAttributes, type List, listAttributes } from "../../../shared/lists/kind.ts";
import { blockKey, indexKey, summaryName, timeCopy } from "../../../shared/lists/segment.ts";
import { isSummarized, writeParts } from "../../../shared/lists/segment-writer.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import { ada } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { BuiltSegments, serveParts } from "./built-segments.ts";
import { EntryTable } from "./entry-table.ts";
import { MadeTransfers } from "./made-transfers.ts";
import { progress } from "./report.ts";

/** Moves the time of this process on, so that what is loaded within minutes spreads over days. */
const offset = new SharedArrayBuffer(8);
moveDate(offset);
export function passTime(ms: number): void {
  Atomics.add(new BigInt64Array(offset), 0, BigInt(ms));
}

/** Entries by their rows. */
export type ListedEntries = Pick<
  EntryTable,
  "length" | "rows" | "summed" | "sorted" | "at" | "createdAt" | "value"
>;

/** What is known of all that was loaded: enough to say what any page has to be. */
export interface Loaded {
  readonly list: List;
  readonly entries: ListedEntries;
  /** Write units of all that keeps the list fast, beside the changes; absent if it was built. */
  readonly indexUnits?: number;
}

/** A new record as its list knows it, the how-many-th. */
const newEntries: Record<string, (index: number) => Entry> = {
  transactions: (index) => {
    const createdAt = Date.now();
    const transDate = index % 3 === 0 ? createdAt - ((index * 7_919) % 3) * 86_400_000 : createdAt;
    const type = pick([20, 20, 20, 80, 18, 10], index);
    const status = pick([3, 3, 3, 2, 3, 3, 4], index);
    const values = [type, status, transDate, (index * 7_919) % 25_013, pick(cardIds, index * 31)];
    return { id: newId("transaction"), createdAt, values, weight: 1 };
  },
  cards: (index) => {
    const values = [pick([1, 1, 1, 2, 3, 4], index), pick(cardholderIds, index * 31), lastName(index)];
    return { id: newId("card"), createdAt: Date.now(), values, weight: 1 };
  },
  cardholders: (index) => {
    const values = [pick([4, 3, 1, 1, 1, 2, 5], index), lastName(index)];
    return { id: newId("cardholder"), createdAt: Date.now(), values, weight: 1 };
  },
  transfers: (index) => {
    const values = [pick([1, 1, 1, 2], index), "out", (index * 7_919) % 25_013];
    return { id: newId("transfer"), createdAt: Date.now(), values, weight: 1 };
  },
};

/** What a record has of its entry, whichever kind it is. */
type OfEntry =
  | "entityId"
  | "createdAt"
  | "cardholderId"
  | "status"
  | "lastName"
  | "issuerCardStatus"
  | "cardHolderLastName";

/** The record of an entry, as long as its operation would write it. */
export function recordOf(list: List, entry: Entry): Key {
  const { programId, kind, owner } = list;
  const { id, values, createdAt } = entry;
  const at = timestamp(new Date(createdAt));
  const known = Object.fromEntries(listAttributes(kind).map((name, index) => [name, values[index]]));
  const key = kind.recordKey?.(list, id, entryAttributes(kind, entry));
  const common = { ...key, entityId: id, programId, createdAt: at, cardholderId: cardholderIds[0], ...known };
  if (kind === cardList) {
    const issued: Omit<Card, OfEntry> = {
      ...{ bin: "400000", lastFour: "0002", expiryMonth: 1, expiryYear: 2030, cardToken: "token" },
      ...{ cardStatus: 1, cardForm: 0, cardType: 0, currency: 0, nameOnCard: "ADA LOVELACE" },
      ...{ ...zeroBalances, entries: 0, cryptoAddresses: [] },
    };
    return { ...issued, ...common } as Key;
  }
  if (kind === cardholderList) {
    const person: Omit<Cardholder, OfEntry> = {
      ...ada,
      openCards: 1,
      altKycEnabled: 0,
    };
    return { ...person, ...common } as Key;
  }
  if (kind === transferList) {
    const places = { sourceWalletId: owner, destinationType: 1, destinationId: cardIds[0] };
    return { ...common, ...places, transferId: id, transferredAmountMinor: values[2], currency: 0 } as Key;
  }
  return {
    ...common,
    ...{ transId: id, type: "DR", currency: 0, srcAmountMinor: 1, srcCurrency: "840" },
    ...{ merchantName: "Corner shop", mcc: "5411", referenceCode: id, description: "Purchase" },
    ...{ postDate: at, transDate: timestamp(new Date(Number(values[2]))) },
  } as Key;
}

const cardIds = Array.from({ length: 5_000 }, () => newId("card"));
const cardholderIds = Array.from({ length: 4_000 }, () => newId("cardholder"));

function pick<T>(from: readonly T[], index: number): T {
  return from[index % from.length] as T;
}

function lastName(index: number): string {
  const syllables = ["ber", "ka", "lo", "min", "ro", "sta", "ti", "vel"];
  const letters = Array.from({ length: 4 }, (_, at) =>
    pick(syllables, Math.floor((index * 7_919) / 8 ** at)),
  );
  return `X${letters.join("")}`;
}

const batch = 3_000;
const settleMs = 20_000;

/** Writes changes and compacts them as the indexer does. */
export async function load(list: List, count: number): Promise<Loaded> {
  const entries = tableOf(list, count);
  let indexUnits = 0;
  for (const changes of batchesOf(list, count, entries)) {
    await writeBatch(changes.map((change) => ({ put: rowOf(list, change) })));
    passTime(settleMs);
    indexUnits += (await measure(() => compactList(list))).cost.writeUnits;
    // The rows are those of open holds too, of which a page has the sum.
    if (list.kind === transactionList) await compactList({ ...list, kind: holdList });
  }
  await writeFirstRecords(list, entries);
  return { list, entries, indexUnits };
}

/** So many changes a compaction leave 27 segments of ten million. On average, it is 16. */
const worstBatch = 888;

/** For lists that take too long to write: builds the segments that compactions would leave. */
export async function build(list: List, count: number): Promise<Loaded> {
  if (list.kind === transferList) return make(list, count);
  const entries = tableOf(list, count);
  const built = new BuiltSegments(list, entries);
  for (const changes of batchesOf(list, count, entries)) {
    built.compact(entries.length - changes.flat().length, entries.length);
    passTime(settleMs);
  }
  await built.write();
  await built.commit();
  await writeFirstRecords(list, entries);
  return { list, entries };
}

/** The same with transfers: each part is made when it is first read. */
async function make(list: List, count: number): Promise<Loaded> {
  const entries = new MadeTransfers(count, worstBatch);
  const { segments } = entries;
  for (const { segmentId } of segments.filter(isSummarized)) {
    const orders = [timeCopy, ...list.kind.orders.map((_, at) => list.kind.filters.length + at)] as const;
    const names = orders.map((order) => summaryName(order, segmentId));
    await writeParts(
      list,
      names.map((name) => ({ sort: "summary" as const, name, body: entries.summary(name) })),
    );
  }
  await serveParts(list, segments, (name, sort) =>
    sort === "index"
      ? { ...indexKey(list, name), body: entries.index(name) }
      : { ...blockKey(list, name), body: entries.block(name) },
  );
  await writeFirstRecords(list, entries);
  return { list, entries };
}

/** With a place for later changes. */
function tableOf({ kind }: List, count: number): EntryTable {
  return new EntryTable(kind, kind === transferList ? count : Math.ceil(count * 1.05));
}

/** The changes of new records in batches, and later changes of some. Adds them to `entries`. */
function* batchesOf({ kind }: List, count: number, entries: EntryTable): Generator<Entry[][], void> {
  for (let done = 0; done < count; ) {
    progress(`${kind.name}: ${done} of ${count}`);
    const changes: Entry[][] = [];
    for (const end = Math.min(count, done + batch); done < end; done += 1) {
      if (done % 25 === 0) passTime(1_000);
      const entry = newEntries[kind.name]?.(done);
      if (!entry) throw new Error(`The bench has no ${kind.name}.`);
      changes.push([entry]);
      entries.push(entry);
      if (kind === transferList || done % 50 !== 7) continue;
      const later = changed(entries, done);
      changes.push(later);
      for (const one of later) entries.push(one);
    }
    yield changes;
  }
}

/** Enough records that the Wallet's transfers are not read as a whole. */
async function writeFirstRecords(list: List, entries: ListedEntries): Promise<void> {
  if (list.kind !== transferList) return;
  const first = [...entries.rows().subarray(0, 300)];
  await writeBatch(first.map((row) => ({ put: recordOf(list, entries.at(row)) })));
}

const changedIds = new Set<string>();

/** An earlier record of any age gets another status. */
function changed(entries: EntryTable, index: number): Entry[] {
  const entry = entries.at((index * 7_919) % entries.length);
  if (changedIds.has(entry.id)) return [];
  changedIds.add(entry.id);
  const at = entry.values.length > 3 ? 1 : 0;
  const values = entry.values.with(at, 2);
  return [
    { ...entry, weight: -1 },
    { ...entry, values, weight: 1 },
  ];
}

function rowOf(list: List, entries: readonly Entry[]): Key {
  const action = listChange(list, entries);
  if (!("Put" in action)) throw new Error("A change is written by a put.");
  return action.Put.Item as unknown as Key;
}
