import { describe, expect, test } from "vitest";
import { compactList } from "../../../shared/lists/compaction.ts";
import { listTotal, seeLists } from "../../../shared/lists/indexed-page.ts";
import type { ChangeRow } from "../../../shared/lists/kind.ts";
import { rewriteLateChanges } from "../../../shared/lists/late-changes.ts";
import { changeManifest, readManifest } from "../../../shared/lists/manifest.ts";
import { mergedSegments } from "../../../shared/lists/merges.ts";
import { selectPage } from "../../../shared/lists/select-page.ts";
import { readSnapshot, storedParts } from "../../../shared/lists/store.ts";
import { walkList } from "../../../shared/lists/walk.ts";
import { notificationList } from "../../../shared/notifications/notification.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
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

/** A list of segments, and enough changes for another: compacting them merges all. */
async function givenSegments(): Promise<GivenList> {
  const list = givenList();
  for (let segment = 0; segment < mergedSegments - 1; segment += 1) {
    await writeChanges(list, 520);
    later(minute);
    await compactList(list);
  }
  await writeChanges(list, 520);
  later(minute);
  return list;
}

describe("a compaction", () => {
  test("leaves few changes as they are", async () => {
    const list = givenList();
    await writeChanges(list, 100);
    later(minute);
    await compactList(list);
    expect(await readManifest(list)).toMatchObject({ version: 0 });
    await expectExact(list);
  });

  test("keeps the list's content, and leaves no part that no manifest names", async () => {
    const list = await givenSegments();
    expect((await readManifest(list)).segments).toHaveLength(mergedSegments - 1);
    await compactList(list);
    await expectExact(list);
    await writeChanges(list, 30);
    await expectExact(list);
    const manifest = await readManifest(list);
    expect(manifest.segments).toHaveLength(1);
    expect(manifest.retired).toHaveLength(mergedSegments);
    later(10 * minute);
    await compactList(list);
    await expectExact(list);
    expect((await readManifest(list)).retired).toEqual([]);
    const [segment] = manifest.segments;
    const parts = (await storedItems(list.programId)).filter(
      ({ body, pk }) => body && !/(COMPACTED|plain)$/.test(String(pk)),
    );
    expect(parts.length).toBeGreaterThan(20);
    for (const { pk } of parts) expect(pk).toContain(`#${segment?.segmentId}#`);
  });

  const deaths: FaultKind[] = ["lost", "timeout-after-commit"];
  test.each(deaths)(
    "leaves each record counted once, wherever it dies (%s)",
    async (kind) => {
      const list = await givenSegments();
      for (let step = 1; ; step += 1) {
        const died = await dieAt(list, step, kind);
        await expectExact(list);
        if (!died) break;
        expect(step).toBeLessThan(60);
      }
      later(120 * minute);
      await compactList(list);
      await expectExact(list);
      expect((await readManifest(list)).retired).toEqual([]);
    },
    180_000,
  );

  test("takes effect once if several run at a time", async () => {
    const list = await givenSegments();
    await Promise.all(Array.from({ length: 5 }, () => compactList(list)));
    await expectExact(list);
    expect((await readManifest(list)).segments).toHaveLength(1);
  });

  test.each([
    ["before its parts are deleted", 0],
    ["after they were", 90 * minute],
  ])("fails if it slept while others did the same, %s", async (_, slept) => {
    const list = await givenSegments();
    const sleeper = holdCall((input) => input.includes("#COMPACTED"));
    const slow = compactList(list);
    await sleeper.reached;
    await compactList(list);
    await writeChanges(list, 600);
    later(slept + minute);
    await compactList(list);
    await expectExact(list);
    sleeper.release();
    await slow;
    await expectExact(list);
    later(120 * minute);
    await compactList(list);
    await expectExact(list);
  });

  test("makes a reader begin again whose segments it has replaced, and deleted since", async () => {
    const list = await givenSegments();
    const [seen] = await seeLists(list.programId, [list.kind]);
    const reader = holdCall((input) => input.includes('"Keys"') && input.includes("#t#"));
    const walk = walkList(list, { until: Number.POSITIVE_INFINITY, limit: 10_000 });
    await reader.reached;
    await compactList(list);
    later(10 * minute);
    await compactList(list);
    reader.release();
    const { rows, total } = expectedOf(list);
    expect((await walk).entries.map(({ id }) => id).toSorted()).toEqual(rows.map(([id]) => id).toSorted());
    expect(seen && (await listTotal(seen))).toBe(total);
  });

  test("fails if it slept while another deleted its parts and died", async () => {
    const list = await givenSegments();
    const sleeper = holdCall((input) => input.includes("#COMPACTED"));
    const slow = compactList(list);
    await sleeper.reached;
    later(90 * minute);
    // Nothing is compacted meanwhile, so that its changes are still there.
    await changeManifest(list, (manifest) => ({ ...manifest, leasedUntil: Date.now() + minute }));
    await expect(dieAfterDeleting(list)).rejects.toThrow();
    later(2 * minute);
    sleeper.release();
    await slow;
    await expectExact(list);
    await compactList(list);
    await expectExact(list);
    expect((await readManifest(list)).retired.some(({ deleting }) => deleting)).toBe(false);
  });

  test("fails if it read its changes before a lease, even one that has ended", async () => {
    const list = givenList();
    const entry = newEntry(1);
    const late = rowOf(list, [entry]);
    await writeChanges(list, 600);
    later(minute);
    const sleeper = holdCall((input) => input.includes("#COMPACTED"));
    const slow = compactList(list);
    await sleeper.reached;
    await changeManifest(list, (manifest) => ({ ...manifest, leasedUntil: Date.now() + minute, leases: 1 }));
    list.written.push(entry);
    await writeBatch([{ put: late }]);
    // It arrives while the list is leased: there is nothing to wait for.
    await rewriteLateChanges(list, [{ row: late as ChangeRow & Key }]);
    later(2 * minute);
    sleeper.release();
    await slow;
    await expectExact(list);
    await compactList(list);
    await expectExact(list);
  });

  test("shows a reader the same list at every moment", async () => {
    const list = await givenSegments();
    let done = false;
    const reading = (async () => {
      while (!done) await expectExact(list);
    })();
    await compactList(list);
    done = true;
    await reading;
  });
});

test("expired records leave their list, as whole segments and from within segments", async () => {
  const list = { ...givenList(), kind: notificationList };
  const write = async (count: number) => {
    const entries = Array.from({ length: count }, (_, index) => ({ ...newEntry(index), values: [1] }));
    await writeBatch(entries.map((entry) => ({ put: rowOf(list, [entry]) })));
    later(minute);
    await compactList(list);
    return entries;
  };
  const segmentSizes = async () => (await readManifest(list)).segments.map(({ entries }) => entries);
  const day = 24 * 60 * minute;
  await write(600);
  later(50 * day);
  for (let segment = 0; segment < 2; segment += 1) await write(600);
  expect(await segmentSizes()).toEqual([600, 600, 600]);
  later(49 * day);
  await write(10);
  expect(await segmentSizes()).toEqual([600, 600, 600]);
  later(2 * day);
  await write(10);
  expect(await segmentSizes()).toEqual([600, 600]);
});

describe("walking the pages of a list by offset, while it grows and changes", () => {
  test("ascending by id, repeats nothing, skips nothing and never goes back", async () => {
    const list = await givenSegments();
    const known = new Set(expectedOf(list).rows.map(([id]) => id));
    const walked: string[] = [];
    for (let offset = 0; ; offset += 200) {
      const page = await selectPage(list.kind, storedParts(list, "id", await readSnapshot(list, "id")), {
        ...{ order: "id", descending: false, offset, limit: 200, equal: [], unequal: [] },
        ...{ after: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY },
      });
      if (page.entries.length === 0) break;
      walked.push(...page.entries.map(({ id }) => id));
      if (offset > 2_000) continue;
      await writeChanges(list, 100);
      later(minute);
      if (offset === 800) await compactList(list);
    }
    expect(walked).toEqual([...new Set(walked)].toSorted());
    expect([...known].filter((id) => !walked.includes(String(id)))).toEqual([]);
    expect(walked.length).toBe(expectedOf(list).total);
  });
});

/** Loses every call from the given write on. Returns whether compaction came so far. */
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
  await compactList(list).catch(() => undefined);
  return dead;
}

/** Deletes retired segments, and dies before it removes them from the manifest. */
async function dieAfterDeleting(list: GivenList): Promise<void> {
  let deleted = false;
  using _ = injectFaults((call) => {
    const isBatch = call.command.startsWith("BatchWrite");
    deleted ||= isBatch;
    return deleted && !isBatch && isWrite(call) ? "lost" : undefined;
  });
  await compactList(list);
}
