import { describe, expect, test } from "vitest";
import type { ListOf } from "../../../shared/lists/listed-kind.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { changeRows, firstChangeRows } from "../../../shared/lists/stored-parts.ts";
import { runsToMerge, takeIn } from "../../../shared/lists/take-in.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { writeBatch } from "../../../shared/platform/table/write-batch.ts";
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

describe("taking in the changes of a list that many are writing", () => {
  test("loses nothing that is committed while a partition of changes is slow to read", async () => {
    const list = givenList();
    await writeChanges(list, 600);
    later(minute);
    const slowQuery = holdCall((input) => input.includes("#CHANGES#15"));
    const indexer = takeIn(list);
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

  test("goes on merging while more and more comes", async () => {
    const list = givenList();
    await writeChanges(list, 600);
    later(minute);
    let takes = 0;
    const runs: number[] = [];
    table.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args);
        if (JSON.stringify(args.input).includes("#TAKEN")) {
          takes += 1;
          runs.push((await readManifest(list)).runs.length);
          if (takes < 14) {
            await writeChanges(list, 520);
            later(minute);
          }
        }
        return answer;
      },
      { step: "initialize", name: "steady-load" },
    );
    try {
      await takeIn(list);
    } finally {
      table.middlewareStack.remove("steady-load");
    }
    expect(takes).toBe(14);
    expect(Math.max(...runs)).toBeLessThanOrEqual(6);
    await expectExact(list);
  });

  test("reads a backlog that is longer than a page of the engine part by part, and takes all of it", async () => {
    const list: ListOf = { programId: newId("program"), kind: "cardholders" };
    const lastName = "x".repeat(900);
    const entries = Array.from({ length: 2_600 }, () => ({
      ...{ id: newId("cardholder"), createdAt: Date.now(), values: [4, lastName], weight: 1 },
    }));
    await writeBatch(entries.map((entry) => ({ put: rowOf(list, [entry]) })));
    later(minute);
    expect((await firstChangeRows(list, "")).rows.length).toBeLessThan(1_300);
    await takeIn(list);
    const { runs, since } = await readManifest(list);
    expect(runs.reduce((sum, run) => sum + run.entries, 0) + (await changeRows(list, since)).length).toBe(
      2_600,
    );
    expect((await changeRows(list, since)).length).toBeLessThan(512);
  });

  test("merges no more at a time than fits into memory", () => {
    const runsOf = (sizes: number[]) =>
      sizes.map((entries, index) => ({ runId: String(index), entries, blocks: 1, since: [0], until: 0 }));
    const sum = (runs: readonly { entries: number }[]) => runs.reduce((all, { entries }) => all + entries, 0);
    expect(runsToMerge(runsOf(Array(3).fill(10_000)))).toEqual([]);
    expect(runsToMerge(runsOf(Array(4).fill(10_000)))).toHaveLength(4);
    const many = runsToMerge(runsOf(Array(400).fill(10_000)));
    expect([many.length, sum(many)]).toEqual([100, 1_000_000]);
    expect(runsToMerge(runsOf([900_000, 900_000, 900_000, 900_000]))).toEqual([]);
  });
});
