import { describe, expect, test } from "vitest";
import type { ChangeRow } from "../../../shared/lists/change-row.ts";
import { changeManifest, readManifest } from "../../../shared/lists/manifest.ts";
import { rescueLate } from "../../../shared/lists/rescue-late.ts";
import { selectPage } from "../../../shared/lists/select-page.ts";
import { storedParts } from "../../../shared/lists/stored-parts.ts";
import { takeIn } from "../../../shared/lists/take-in.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { writeBatch } from "../../../shared/platform/table/write-batch.ts";
import { type FaultKind, injectFaults, isWrite } from "../../harness/faults.ts";
import { storedItems } from "../../harness/stored.ts";
import {
  expectExact,
  expectedOf,
  type GivenList,
  givenList,
  holdCall,
  later,
  newEntry,
  rowOf,
  useOwnDays,
  writeChanges,
} from "./given-list.ts";

const minute = 60_000;

useOwnDays(Date.UTC(2026, 5, 1));

/** A list of three runs, and enough changes for a fourth: taking them in merges them all. */
async function givenThreeRuns(): Promise<GivenList> {
  const list = givenList();
  for (let run = 0; run < 3; run += 1) {
    await writeChanges(list, 520);
    later(minute);
    await takeIn(list);
  }
  await writeChanges(list, 520);
  later(minute);
  return list;
}

describe("taking in the changes of a list", () => {
  test("leaves few as they are", async () => {
    const list = givenList();
    await writeChanges(list, 100);
    later(minute);
    await takeIn(list);
    expect(await readManifest(list)).toMatchObject({ version: 0 });
    await expectExact(list);
  });

  test("changes nothing of what is in it, run by run, and forgets nothing that it wrote", async () => {
    const list = await givenThreeRuns();
    expect((await readManifest(list)).runs).toHaveLength(3);
    await takeIn(list);
    await expectExact(list);
    await writeChanges(list, 30);
    await expectExact(list);
    const manifest = await readManifest(list);
    expect(manifest.runs).toHaveLength(1);
    expect(manifest.discarded).toHaveLength(4);
    later(10 * minute);
    await takeIn(list);
    await expectExact(list);
    expect((await readManifest(list)).discarded).toEqual([]);
    const [run] = manifest.runs;
    const parts = (await storedItems(list.programId)).filter(
      ({ body, pk }) => body && !/(TAKEN|tions)$/.test(String(pk)),
    );
    expect(parts.length).toBeGreaterThan(20);
    for (const { pk } of parts) expect(pk).toContain(`#${run?.runId}#`);
  });

  const deaths: FaultKind[] = ["lost", "timeout-after-commit"];
  test.each(deaths)(
    "counts each record once wherever it dies (%s)",
    async (kind) => {
      const list = await givenThreeRuns();
      for (let step = 1; ; step += 1) {
        const died = await dieAt(list, step, kind);
        await expectExact(list);
        if (!died) break;
        expect(step).toBeLessThan(60);
      }
      later(120 * minute);
      await takeIn(list);
      await expectExact(list);
      expect((await readManifest(list)).discarded).toEqual([]);
    },
    180_000,
  );

  test("is done once by several at a time", async () => {
    const list = await givenThreeRuns();
    await Promise.all(Array.from({ length: 5 }, () => takeIn(list)));
    await expectExact(list);
    expect((await readManifest(list)).runs).toHaveLength(1);
  });

  test.each([
    ["before its parts are deleted", 0],
    ["after they were", 90 * minute],
  ])("is refused to one that slept while others did it, %s", async (_, slept) => {
    const list = await givenThreeRuns();
    const sleeper = holdCall((input) => input.includes("#TAKEN"));
    const slow = takeIn(list);
    await sleeper.reached;
    await takeIn(list);
    await writeChanges(list, 600);
    later(slept + minute);
    await takeIn(list);
    await expectExact(list);
    sleeper.release();
    await slow;
    await expectExact(list);
    later(120 * minute);
    await takeIn(list);
    await expectExact(list);
  });

  test("is refused to one that slept while its parts were deleted by another that died over it", async () => {
    const list = await givenThreeRuns();
    const sleeper = holdCall((input) => input.includes("#TAKEN"));
    const slow = takeIn(list);
    await sleeper.reached;
    later(90 * minute);
    // Nothing is taken in meanwhile, so that what it slept over is still to be done.
    await changeManifest(list, (manifest) => ({ ...manifest, heldUntil: Date.now() + minute }));
    await expect(dieAfterDeleting(list)).rejects.toThrow();
    later(2 * minute);
    sleeper.release();
    await slow;
    await expectExact(list);
    await takeIn(list);
    await expectExact(list);
    expect((await readManifest(list)).discarded.some(({ deleting }) => deleting)).toBe(false);
  });

  test("is refused to one that read the changes before the list was held, whatever came of that", async () => {
    const list = givenList();
    const entry = newEntry(1);
    const late = rowOf(list, [entry]);
    await writeChanges(list, 600);
    later(minute);
    const sleeper = holdCall((input) => input.includes("#TAKEN"));
    const slow = takeIn(list);
    await sleeper.reached;
    await changeManifest(list, (manifest) => ({ ...manifest, heldUntil: Date.now() + minute, holds: 1 }));
    list.written.push(entry);
    await writeBatch([{ put: late }]);
    // Told of while the list is held: there is nothing to wait for.
    await rescueLate(list, [{ row: late as ChangeRow & Key }]);
    later(2 * minute);
    sleeper.release();
    await slow;
    await expectExact(list);
    await takeIn(list);
    await expectExact(list);
  });

  test("is seen by a reader as before or as after, while it is done", async () => {
    const list = await givenThreeRuns();
    let done = false;
    const reading = (async () => {
      while (!done) await expectExact(list);
    })();
    await takeIn(list);
    done = true;
    await reading;
  });
});

test("records that have expired leave their list, run by run and from within runs", async () => {
  const list = { ...givenList(), kind: "notifications" } as const;
  const write = async (count: number) => {
    const entries = Array.from({ length: count }, (_, index) => ({ ...newEntry(index), values: [1] }));
    await writeBatch(entries.map((entry) => ({ put: rowOf(list, [entry]) })));
    later(minute);
    await takeIn(list);
    return entries;
  };
  const entriesOfRuns = async () => (await readManifest(list)).runs.map(({ entries }) => entries);
  const day = 24 * 60 * minute;
  await write(600);
  later(50 * day);
  for (let run = 0; run < 2; run += 1) await write(600);
  expect(await entriesOfRuns()).toEqual([600, 600, 600]);
  later(49 * day);
  await write(10);
  expect(await entriesOfRuns()).toEqual([600, 600, 600]);
  later(2 * day);
  await write(10);
  expect(await entriesOfRuns()).toEqual([600, 600]);
});

describe("walking the pages of a list by offset, while it grows and changes", () => {
  test("ascending by id, repeats nothing, skips nothing and never goes back", async () => {
    const list = await givenThreeRuns();
    const known = new Set(expectedOf(list).rows.map(([id]) => id));
    const walked: string[] = [];
    for (let offset = 0; ; offset += 200) {
      const page = await selectPage(list.kind, storedParts(list, await readManifest(list)), {
        ...{ order: "id", descending: false, offset, limit: 200, wanted: [], unwanted: [] },
        ...{ after: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY },
      });
      if (page.entries.length === 0) break;
      walked.push(...page.entries.map(({ id }) => id));
      if (offset > 2_000) continue;
      await writeChanges(list, 100);
      later(minute);
      if (offset === 800) await takeIn(list);
    }
    expect(walked).toEqual([...new Set(walked)].toSorted());
    expect([...known].filter((id) => !walked.includes(String(id)))).toEqual([]);
    expect(walked.length).toBe(expectedOf(list).total);
  });
});

/** Takes in, and dies with the write of that number: every call from then on is lost. Whether it came so far. */
async function dieAt(list: GivenList, step: number, kind: FaultKind): Promise<boolean> {
  let writes = 0;
  let dead = false;
  using _ = injectFaults((call) => {
    if (dead) return "lost";
    if (!(isWrite(call) || call.command === "BatchWriteItem" || call.command === "BatchWrite"))
      return undefined;
    writes += 1;
    if (writes < step) return undefined;
    dead = true;
    return kind;
  });
  await takeIn(list).catch(() => undefined);
  return dead;
}

/** Deletes what is discarded, and dies before it takes note of that. */
async function dieAfterDeleting(list: GivenList): Promise<void> {
  let deleted = false;
  using _ = injectFaults((call) => {
    const isBatch = call.command.startsWith("BatchWrite");
    deleted ||= isBatch;
    return deleted && !isBatch && isWrite(call) ? "lost" : undefined;
  });
  await takeIn(list);
}
