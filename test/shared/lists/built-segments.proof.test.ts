import { expect, test } from "vitest";
import { compactList } from "../../../shared/lists/compaction.ts";
import type { Entry } from "../../../shared/lists/kind.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { blockKey, indexKey } from "../../../shared/lists/segment.ts";
import { planCopies } from "../../../shared/lists/segment-writer.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { storedItem } from "../../harness/stored.ts";
import { BuiltSegments } from "../../tools/bench/built-segments.ts";
import { EntryTable } from "../../tools/bench/entry-table.ts";
import { givenList, later, newEntry, readList, rowOf, useOwnDays } from "./given-list.ts";

useOwnDays(Date.UTC(2025, 5, 1));

/** New records, and later changes of some. */
function nextBatch(written: Entry[], count: number): Entry[][] {
  return Array.from({ length: count }, (_, index) => {
    const entry = newEntry(index);
    const old = written[index * 11];
    written.push(entry);
    if (index % 9 > 0 || !old || old.values[0] === 18) return [entry];
    const change = [
      { ...old, weight: -1 },
      { ...old, values: [18, 2, ...old.values.slice(2)] },
    ];
    written[index * 11] = change[1] as Entry;
    return [entry, ...change];
  });
}

const hexOf = (body: Uint8Array) => Buffer.from(body).toString("hex");

test("built segments have the bytes of real compactions and merges, and are read alike", async () => {
  const list = givenList();
  const twin = { programId: newId("program"), kind: transactionList };
  const all = new EntryTable(transactionList, 20_000);
  const built = new BuiltSegments(twin, all);
  const written: Entry[] = [];
  for (let round = 0; round < 10; round += 1) {
    const changes = nextBatch(written, 900);
    const from = all.length;
    for (const entry of changes.flat()) all.push(entry);
    await writeBatch(changes.map((entries) => ({ put: rowOf(list, entries) })));
    later(60_000);
    await compactList(list);
    built.compact(from, all.length);
    later(600_000);
  }
  await built.write();
  const { segments } = await readManifest(list);
  const shape = (one: readonly { segmentId: string }[]) => one.map(({ segmentId: _, ...rest }) => rest);
  expect(segments.length).toBeGreaterThan(1);
  expect(shape(built.segments)).toEqual(shape(segments));
  for (const [at, { segmentId, blocks }] of segments.entries()) {
    const twinId = built.segments[at]?.segmentId ?? "";
    const stored = async (key: Key) => hexOf((await storedItem(key))?.body as Uint8Array);
    for (const { copy } of planCopies(transactionList, blocks)) {
      for (let index = 0; index < blocks; index += 1) {
        const body = await stored(blockKey(list, { segmentId, copy, index }));
        expect(hexOf(built.block({ segmentId: twinId, copy, index }).body as Uint8Array)).toBe(body);
      }
      const first = { copy, index: 0 };
      const body = await stored(indexKey(list, { segmentId, ...first }));
      expect(hexOf(built.sparseIndex({ segmentId: twinId, ...first }).body as Uint8Array)).toBe(body);
    }
  }
  await built.commit();
  expect(await readList(twin)).toEqual(await readList(list));
  expect((await readList(twin)).total).toBe(all.summed(all.rows()).length);
});
