import { findListKind, programLists } from "../../../shared/list-kinds.ts";
import { ridingShard } from "../../../shared/lists/entry.ts";
import { changedEntries, changeKey, ridingKey } from "../../../shared/lists/kind.ts";
import { readChanges } from "../../../shared/lists/store.ts";
import { newChangeId, newId } from "../../../shared/platform/id.ts";
import { chooseShard } from "../../../shared/platform/table/keys.ts";
import { feeList } from "../../../shared/transactions/fee.ts";
import { ada, givenProgram as givenApiProgram } from "../../harness/given-cards.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import type { Row } from "./report.ts";

export const writeColumns = [
  "write",
  "units before",
  "with the list",
  "and its index",
  "and the change's deletion",
  "ratio",
  "limit",
];

const writeLimit = 1.5;
/** With deletions: 0.7 of the 3,567 units when each list and each deadline had a row of its own. */
const lifeLimit = 2_497;

/**
 * The cost of writes with and without exact lists. Without: one unit in an index. With: a row in
 * the transaction, a share of all segments that it will be in, and the row's deletion.
 */
export async function costsOfWrites(indexUnits: ReadonlyMap<string, number>): Promise<Row[]> {
  const rows: Row[] = [];
  const sums = { before: 0, indexed: 0, after: 0 };
  const network = await givenNetwork({ availableMinor: 1_000_000 });
  const program = await givenApiProgram();
  const write = async (
    name: string,
    of: string,
    times: number,
    work: () => Promise<unknown>,
    plainUnits?: number,
  ) => {
    const earlier = await changesOf(of);
    const { cost } = await measure(work);
    const changes = (await changesOf(of)).slice(earlier.length);
    const now = cost.writeUnits;
    // An entry in an index is one unit; a row is two, with however many entries.
    const written = new Set(changes.map(({ row }) => row)).size;
    const before = plainUnits ?? now - 2 * written + changes.length;
    const index = changes.reduce((sum, { kind, entries }) => sum + entries * (indexUnits.get(kind) ?? 0), 0);
    const indexed = now + index;
    const after = indexed + changes.reduce((sum, { kind }) => sum + deletionUnits(kind), 0);
    sums.before += before * times;
    sums.indexed += indexed * times;
    sums.after += after * times;
    rows.push(writeRow([name, before, now], indexed, after, before));
  };
  const onCard = (name: string, times: number, event: Parameters<typeof network.apply>[0]) =>
    write(name, network.programId, times, () => network.apply(event));
  const call =
    (route: Parameters<typeof program.call>[0], path: Record<string, string>, body: object) => async () => {
      const { status, body: answer } = await program.call(route, { path, body });
      if (status !== 200) throw new Error(`${route} answered ${status}.`);
      return answer.data;
    };
  await network.apply({ kind: "balance_inquiry" });
  const perCard = 100;
  await onCard("authorization", perCard, { kind: "authorization", authorizationId: "A", amount: 100 });
  await onCard("clearing", perCard, { kind: "clearing", authorizationId: "A", amount: 100 });
  await onCard("force post", 5, { kind: "clearing", amount: 50 });
  await onCard("refund", 5, { kind: "refund", amount: 10 });
  await onCard("ATM withdrawal with a fee", 5, { kind: "atm_withdrawal", amount: 10, feeAmount: 1 });
  let cardholderId = "";
  await write(
    "POST /cardholders",
    program.programId,
    1,
    async () => {
      cardholderId = (await call("POST /cardholders", {}, ada)()).cardholderId;
    },
    // One put of the record, one of the index.
    2,
  );
  const path = { cardholderId };
  await write(
    "POST /cardholders/{cardholderId}/submit",
    program.programId,
    1,
    call("POST /cardholders/{cardholderId}/submit", path, {}),
  );
  await write(
    "compliance outcome",
    program.programId,
    1,
    call("POST /cardholders/{cardholderId}/kyc-outcome", path, { status: 1 }),
  );
  let cardId = "";
  await write("POST /cards", program.programId, 1, async () => {
    cardId = (await call("POST /cards", {}, { cardholderId, cardForm: 0, cardType: 0 })()).cardId;
  });
  await write(
    "PUT /cards/{cardId}/status",
    program.programId,
    1,
    call("PUT /cards/{cardId}/status", { cardId }, { status: 2 }),
  );
  const ratio = sums.after / sums.before;
  rows.push({
    cells: [
      "a card's life: all of these, 100 purchases",
      rounded(sums.before),
      "",
      rounded(sums.indexed),
      rounded(sums.after),
      ratio.toFixed(2),
      writeLimit,
    ],
    broken:
      ratio > writeLimit
        ? `Writes cost ${ratio.toFixed(2)} times as much, not ${writeLimit}.`
        : sums.after > lifeLimit
          ? `A card's life takes ${rounded(sums.after)} write units, not ${lifeLimit}.`
          : undefined,
  });
  return rows;
}

/** A compacted change is deleted for one unit. A riding one expires, which is free. */
function deletionUnits(kind: string): number {
  return findListKind(kind).rides ? 0 : 1;
}

function writeRow(first: Row["cells"], indexed: number, after: number, before: number): Row {
  return { cells: [...first, rounded(indexed), rounded(after), (after / before).toFixed(2), ""] };
}

function rounded(value: number): string {
  return value.toFixed(1);
}

interface Changed {
  readonly kind: string;
  readonly row: string;
  readonly entries: number;
}

async function changesOf(programId: string): Promise<Changed[]> {
  const ofKinds = programLists.map((kind) => readChanges({ programId, kind }, ""));
  return (await Promise.all(ofKinds))
    .flat()
    .toSorted((left, right) => (left.sk < right.sk ? -1 : 1))
    .map((row) => ({ kind: row.listed, row: row.sk, entries: changedEntries(row).length }))
    .filter(({ entries }) => entries > 0);
}

export const partitionColumns = ["partition", "keys", "write units in its busiest second", "limit"];

const partitionLimit = 1_000;

/**
 * The busiest second of the busiest partitions, at 5,000 card events a second. Each of them changes
 * all four lists.
 */
export function busiestPartitions(): Row[] {
  const perSecond = 5_000;
  const busiest = new Map<string, { keys: Set<string>; most: number }>();
  for (let second = 0; second < 60; second += 1) {
    const units = new Map<string, [sort: string, units: number]>();
    const add = (sort: string, key: string, count: number) => {
      units.set(key, [sort, (units.get(key)?.[1] ?? 0) + count]);
    };
    for (let one = 0; one < perSecond; one += 1) {
      // A transaction's write is two units, and a change is less than 1 KB.
      add("riding changes", ridingKey("P", ridingShard(newId("card")), newChangeId()).pk, 2);
      const entry = { id: newId("fee"), createdAt: 0, values: [], weight: 1 };
      const fees = { programId: "P", kind: feeList };
      add("changes of fees", changeKey(fees, chooseShard(entry.id, feeList.shards), "").pk, 2);
    }
    for (const [key, [sort, count]] of units) {
      const known = busiest.get(sort) ?? { keys: new Set(), most: 0 };
      known.keys.add(key);
      busiest.set(sort, { keys: known.keys, most: Math.max(known.most, count) });
    }
  }
  // Once written, in one second at worst: 64 blocks of at most 4 KB.
  busiest.set("blocks of a segment", { keys: new Set(["one"]), most: 64 * 4 });
  return [...busiest].map(([sort, { keys, most }]) => ({
    cells: [sort, keys.size, most, partitionLimit],
    broken:
      most > partitionLimit
        ? `${sort}: ${most} write units a second in one partition, not ${partitionLimit}.`
        : undefined,
  }));
}
