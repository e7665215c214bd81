import { describe, expect, test } from "vitest";
import { cardholderList } from "../../../shared/cardholders/cardholder.ts";
import { compactList, readFirstChanges } from "../../../shared/lists/compaction.ts";
import type { List } from "../../../shared/lists/kind.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { segmentsToMerge } from "../../../shared/lists/merges.ts";
import { readChanges } from "../../../shared/lists/store.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { table } from "../../../shared/platform/table/client.ts";
import {
  expectExact,
  givenList,
  holdCall,
  later,
  newEntry,
  rowOf,
  useOwnDays,
  writeChanges,
} from "./given-list.ts";

const minute = 60_000;

useOwnDays(Date.UTC(2028, 5, 1));

describe("compacting a list that many are writing to", () => {
  test("loses nothing that commits while a shard of changes is slow to read", async () => {
    const list = givenList();
    await writeChanges(list, 600);
    later(minute);
    const slowQuery = holdCall((input) => input.includes("#CHANGES#15"));
    const indexer = compactList(list);
    await slowQuery.reached;
    // What the other partitions answered has arrived.
    await pause(300);
    const entries = Array.from({ length: 40 }, (_, index) => newEntry(index));
    list.written.push(...entries);
    await writeBatch(entries.map((entry) => ({ put: rowOf(list, [entry]) })));
    later(12_000);
    slowQuery.release();
    await indexer;
    await expectExact(list);
  });

  test("goes on merging while changes keep coming", async () => {
    const list = givenList();
    await writeChanges(list, 600);
    later(minute);
    let compactions = 0;
    const counts: number[] = [];
    table.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args);
        if (JSON.stringify(args.input).includes("#COMPACTED")) {
          compactions += 1;
          counts.push((await readManifest(list)).segments.length);
          if (compactions < 14) {
            await writeChanges(list, 520);
            later(minute);
          }
        }
        return answer;
      },
      { step: "initialize", name: "steady-load" },
    );
    try {
      await compactList(list);
    } finally {
      table.middlewareStack.remove("steady-load");
    }
    expect(compactions).toBe(14);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
    await expectExact(list);
  });

  test("compacts a backlog that is longer than a page of DynamoDB, part by part", async () => {
    const list: List = { programId: newId("program"), kind: cardholderList };
    const lastName = "x".repeat(900);
    const entries = Array.from({ length: 2_600 }, () => ({
      ...{ id: newId("cardholder"), createdAt: Date.now(), values: [4, lastName], weight: 1 },
    }));
    await writeBatch(entries.map((entry) => ({ put: rowOf(list, [entry]) })));
    later(minute);
    expect((await readFirstChanges(list, "")).rows.length).toBeLessThan(1_300);
    await compactList(list);
    const { segments, watermark } = await readManifest(list);
    const left = (await readChanges(list, watermark)).length;
    expect(segments.reduce((sum, { entries }) => sum + entries, 0) + left).toBe(2_600);
    expect(left).toBeLessThan(512);
  });

  test("merges the smallest segments first, and no more at a time than are to be read ahead", () => {
    const segmentsOf = (sizes: number[]) =>
      sizes.map((entries, index) => ({
        ...{ segmentId: String(index), entries, blocks: 1, since: [0], until: 0, tombstones: 0 },
      }));
    expect(segmentsToMerge(segmentsOf(Array(7).fill(10_000)))).toEqual([]);
    expect(segmentsToMerge(segmentsOf(Array(8).fill(10_000)))).toHaveLength(8);
    expect(segmentsToMerge(segmentsOf(Array(400).fill(10_000)))).toHaveLength(16);
    const both = segmentsToMerge(segmentsOf([...Array(8).fill(9_000_000), ...Array(8).fill(600)]));
    expect(both.map(({ entries }) => entries)).toEqual(Array(8).fill(600));
  });
});
