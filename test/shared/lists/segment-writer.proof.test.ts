import { describe, expect, test } from "vitest";
import type { Entry, ListKind } from "../../../shared/lists/kind.ts";
import type { Progress } from "../../../shared/lists/manifest.ts";
import { compareEntries } from "../../../shared/lists/page-spec.ts";
import {
  blockSize,
  indexedBlocks,
  type PartName,
  type Segment,
  sumEntries,
  timeCopy,
} from "../../../shared/lists/segment.ts";
import {
  beginSegment,
  blocksAhead,
  type Part,
  type PartStore,
  runOfBlocks,
  writeSegment,
} from "../../../shared/lists/segment-writer.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import { SegmentsInMemory } from "./segments-in-memory.ts";

const kind: ListKind = transferList;

/** Transfers of which every seventh gets another status, mostly in another segment. */
function entriesOf(count: number): Entry[] {
  const entries: Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = `trf_${String(index).padStart(10, "0")}`;
    entries.push({ id, createdAt: 1_000 + index, values: [1, "out", (index * 7_919) % 257], weight: 1 });
    const old = entries[index - 900];
    if (index % 7 > 0 || old?.weight !== 1 || old.values[0] !== 1) continue;
    entries.push({ ...old, weight: -1 }, { ...old, values: [2, ...old.values.slice(1)] });
  }
  return entries;
}

async function givenSegments(entries: readonly Entry[], count: number): Promise<SegmentsInMemory> {
  const segments = new SegmentsInMemory(kind);
  const size = Math.ceil(entries.length / count);
  for (let from = 0; from < entries.length; from += size)
    await segments.add(entries.slice(from, from + size));
  return segments;
}

function runsOf(store: PartStore, segments: readonly Segment[]) {
  return segments.map(({ segmentId, blocks }) =>
    runOfBlocks(store, { segmentId, copy: timeCopy, first: 0, last: blocks }),
  );
}

/** Passes everything on, and says what was written. */
function watched(store: PartStore): { store: PartStore; written: Part[]; read: PartName[] } {
  const written: Part[] = [];
  const read: PartName[] = [];
  return {
    written,
    read,
    store: {
      kind: store.kind,
      indexes: (names) => store.indexes(names),
      blocks: (names) => {
        read.push(...names);
        return store.blocks(names);
      },
      write: (parts) => {
        const all = [...parts];
        written.push(...all);
        return store.write(all);
      },
    },
  };
}

const asText = (parts: readonly Part[]) =>
  new Map(
    parts.map(({ sort, name: { copy, index }, body }) => [
      `${sort} ${copy} ${index}`,
      Buffer.from(body).toString("base64"),
    ]),
  );

describe("a merge of segments", () => {
  const all = entriesOf(70_000);

  test("writes what sorting all of their entries gives, also if another process goes on with it", async () => {
    const segments = await givenSegments(all, 9);
    const whole = watched(segments);
    let progress = beginSegment("merged");
    const steps: string[] = [];
    for await (progress of writeSegment(whole.store, progress, runsOf(segments, segments.segments)))
      steps.push(JSON.stringify(progress));
    const expected = sumEntries(all).toSorted(compareEntries("createdAt"));
    const { entries, blocks, tombstones, since, until } = progress.segment;
    expect({ entries, tombstones }).toEqual({ entries: expected.length, tombstones: 0 });
    expect([since[0], until]).toEqual([expected[0]?.createdAt, expected.at(-1)?.createdAt]);
    for (const [copy, order] of [
      [timeCopy, "createdAt"],
      ["2.5", 2],
    ] as const) {
      const names = Array.from({ length: blocks }, (_, index) => ({ segmentId: "merged", copy, index }));
      const read = (await segments.blocks(names)).flatMap((block) => block.entries());
      expect(read).toEqual(expected.toSorted(compareEntries(order)));
    }
    // Every process writes one sparse index and its blocks, and dies after it has written another.
    const parts = watched(segments);
    let text = JSON.stringify(beginSegment("merged"));
    for (const next of steps) {
      const writing = writeSegment(parts.store, JSON.parse(text), runsOf(segments, segments.segments));
      expect(JSON.stringify((await writing.next()).value)).toBe(next);
      await writing.next();
      text = next;
    }
    const ending = writeSegment(parts.store, JSON.parse(text) as Progress, []);
    expect((await ending.next()).done).toBe(true);
    expect(asText(parts.written)).toEqual(asText(whole.written));
  }, 60_000);

  test("has no more in memory than one sparse index's blocks and a few of each run", async () => {
    const segments = await givenSegments(all, 9);
    const { store, read } = watched(segments);
    let progress = beginSegment("merged");
    let taken = 0;
    let most = 0;
    for await (progress of writeSegment(store, progress, runsOf(segments, segments.segments))) {
      most = Math.max(most, read.length - Math.floor(taken / blockSize));
      taken = progress.taken.reduce((sum, count) => sum + count, 0);
      if (progress.indexes === 0) read.length = 0;
    }
    // What cancels out is read, too.
    const readForOne = all.length / progress.segment.entries;
    expect(most).toBeGreaterThan(indexedBlocks);
    expect(most).toBeLessThanOrEqual(Math.ceil(indexedBlocks * readForOne) + 9 * (blocksAhead + 1));
    expect(progress.segment.blocks).toBeGreaterThan(2 * indexedBlocks);
  }, 60_000);
});
