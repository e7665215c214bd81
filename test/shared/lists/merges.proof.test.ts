import { describe, expect, test, vi } from "vitest";
import { compactList } from "../../../shared/lists/compaction.ts";
import type { Entry } from "../../../shared/lists/kind.ts";
import { changeManifest, readManifest } from "../../../shared/lists/manifest.ts";
import { mergedSegments, replaceSegments } from "../../../shared/lists/merges.ts";
import { type FaultKind, injectFaults } from "../../harness/faults.ts";
import { storedItems } from "../../harness/stored.ts";
import { type GivenList, givenList, later, newEntry, readList, useOwnDays } from "./given-list.ts";

useOwnDays(Date.UTC(2029, 5, 1), 2);

const minute = 60_000;

/** Segments that are due to be merged, into one with several sparse indexes. */
async function givenSegments(): Promise<GivenList> {
  const list = givenList();
  for (let segment = 0; segment < mergedSegments; segment += 1) {
    const added = Array.from({ length: 4_600 }, (_, index) => newEntry(index));
    const changes = list.written.slice(0, added.length * segment).flatMap((old, index): Entry[] => {
      const isFirst =
        index % 9 === 0 && index % mergedSegments === segment && old.values[0] !== 18 && old.weight === 1;
      return isFirst
        ? [
            { ...old, weight: -1 },
            { ...old, values: [18, 2, ...old.values.slice(2)] },
          ]
        : [];
    });
    list.written.push(...added, ...changes);
    await replaceSegments(list, [...added, ...changes], [], (manifest) => manifest);
    later(minute);
  }
  return list;
}

/** Each look at the clock ends a slice: every call writes one sparse index, or deletes one. */
function shortenSlices(): Disposable {
  let passedMs = 0;
  const now = performance.now.bind(performance);
  return vi.spyOn(performance, "now").mockImplementation(() => {
    passedMs += 11_000;
    return now() + passedMs;
  });
}

/** Runs a compaction of which nothing arrives after so many writes; whether it was cut short. */
async function dieAfter(list: GivenList, writes: number, kind: FaultKind): Promise<boolean> {
  let count = 0;
  using faults = injectFaults(({ command }) => {
    if (!/Write|Put|Update/.test(command)) return undefined;
    count += 1;
    return count >= writes ? kind : undefined;
  });
  await compactList(list).catch(() => undefined);
  return faults.calls.some(({ fault }) => fault !== undefined);
}

async function contentOf(list: GivenList): Promise<string> {
  const { rows, total } = await readList(list);
  return JSON.stringify([total, rows.length, rows.map(([id, type]) => `${id}${type}`)]);
}

const lengthsOf = async (list: GivenList) =>
  (await readManifest(list)).segments.map(({ entries }) => entries);

describe("a merge that takes longer than a call", () => {
  test("goes on in the next calls, and its replaced segments' deletion too", async () => {
    const list = await givenSegments();
    const content = await contentOf(list);
    using _ = shortenSlices();
    const progress: string[] = [];
    for (let call = 0; call < 12; call += 1) {
      await compactList(list);
      const { segments, retired } = await readManifest(list);
      const { step, indexes } = retired.find(({ merge }) => merge)?.merge?.progress ?? {};
      progress.push(`${segments.length} ${step} ${indexes}`);
      if (segments.length === 1) break;
      // An hour without calls.
      later(90 * minute);
    }
    // Two sparse indexes by time; then a node of both, of each order.
    expect(progress).toMatchInlineSnapshot(`
      [
        "8 0 1",
        "8 1 0",
        "8 1 1",
        "8 2 0",
        "8 2 1",
        "8 3 0",
        "1 undefined undefined",
      ]
    `);
    expect(await contentOf(list)).toBe(content);
    later(10 * minute);
    for (let call = 0; call < 12; call += 1) await compactList(list);
    const manifest = await readManifest(list);
    expect(manifest.retired).toEqual([]);
    const segmentId = manifest.segments[0]?.segmentId ?? "";
    const parts = (await storedItems(list.programId)).filter(({ body, sk }) => body && sk !== "MANIFEST");
    for (const { pk, sk } of parts) expect(`${pk}#${sk}#`).toContain(`#${segmentId}#`);
    expect(parts.filter(({ pk }) => String(pk).includes("#SUMMARY#"))).toHaveLength(3);
    expect(await contentOf(list)).toBe(content);
  }, 120_000);

  const deaths: FaultKind[] = ["lost", "timeout-after-commit"];
  test.each(deaths)(
    "loses and doubles nothing, wherever its calls die (%s)",
    async (kind) => {
      const list = await givenSegments();
      const content = await contentOf(list);
      using _ = shortenSlices();
      const [entries] = JSON.parse(content) as [number];
      for (let writes = 1; (await readManifest(list)).segments.length > 1; writes += 7) {
        await dieAfter(list, writes, kind);
        if (writes % 3 === 0) expect(await contentOf(list)).toBe(content);
        expect(writes).toBeLessThan(2_000);
      }
      expect(await lengthsOf(list)).toEqual([entries]);
      expect(await contentOf(list)).toBe(content);
    },
    240_000,
  );

  test("is done once by several calls at a time", async () => {
    const list = await givenSegments();
    const content = await contentOf(list);
    using _ = shortenSlices();
    for (let call = 0; call < 8; call += 1)
      await Promise.all(Array.from({ length: 3 }, () => compactList(list)));
    expect(await lengthsOf(list)).toHaveLength(1);
    expect(await contentOf(list)).toBe(content);
  }, 120_000);

  test("is given up if a rebuild replaced what it merges", async () => {
    const list = await givenSegments();
    const content = await contentOf(list);
    using _ = shortenSlices();
    await compactList(list);
    const { segments } = await readManifest(list);
    expect(segments).toHaveLength(mergedSegments);
    await replaceSegments(list, list.written, segments, (manifest) => manifest);
    expect(await contentOf(list)).toBe(content);
    later(90 * minute);
    for (let call = 0; call < 40; call += 1) await compactList(list);
    expect((await readManifest(list)).retired).toEqual([]);
    expect(await lengthsOf(list)).toHaveLength(1);
    expect(await contentOf(list)).toBe(content);
  }, 120_000);

  test("does not commit while a rebuild has its lease", async () => {
    const list = await givenSegments();
    using _ = shortenSlices();
    await compactList(list);
    await changeManifest(list, (manifest) => ({ ...manifest, leasedUntil: Date.now() + minute }));
    for (let call = 0; call < 12; call += 1) await compactList(list);
    expect(await lengthsOf(list)).toHaveLength(mergedSegments);
    later(2 * minute);
    for (let call = 0; call < 12; call += 1) await compactList(list);
    expect(await lengthsOf(list)).toHaveLength(1);
  }, 120_000);
});
