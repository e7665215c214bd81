import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { transactionList } from "../../../shared/domain/transactions/transaction.ts";
import {
  compareEntries,
  type Entry,
  matchesSpec,
  type PageSpec,
  sumEntries,
} from "../../../shared/lists/entry.ts";
import { selectPage } from "../../../shared/lists/select-page.ts";
import { SegmentsInMemory } from "./segments-in-memory.ts";

/** The page by definition: filter, sort, slice. */
function naivePage(entries: readonly Entry[], spec: PageSpec) {
  const live = sumEntries(entries).filter((entry) => matchesSpec(spec, entry));
  const ascending = live.toSorted(compareEntries(spec.order));
  const ordered = spec.descending ? ascending.toReversed() : ascending;
  return {
    ids: ordered.slice(spec.offset, spec.offset + spec.limit).map(({ id, values }) => [id, ...values]),
    total: live.length,
  };
}

async function page(segments: SegmentsInMemory, spec: PageSpec) {
  const { entries, total } = await selectPage(transactionList, segments, spec);
  return { ids: entries.map(({ id, values }) => [id, ...values]), total };
}

/** Half of the changes come long after the transactions, so that segments overlap in time. */
function history(count: number, changeEvery: number, seed: number): Entry[] {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const entries: Entry[] = [];
  const changed = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const createdAt = 1_700_000_000_000 + Math.floor(index / 3) * 700;
    const entry: Entry = {
      id: `txn_${String(index).padStart(8, "0")}${random(1000)}`,
      createdAt: createdAt - random(5),
      values: [
        [20, 80, 24, 90][random(4)] ?? 0,
        1 + random(4),
        random(4) === 0 ? createdAt - random(86_400_000) : createdAt,
        random(3) === 0 ? 1000 : random(5_000),
        `crd_${random(50)}`,
      ],
      weight: 1,
    };
    entries.push(entry);
    if (random(changeEvery) !== 0) continue;
    const old = random(2) === 0 ? entry : entries[random(entries.length)];
    if (!old || changed.has(old.id)) continue;
    changed.add(old.id);
    entries.push({ ...old, weight: -1 });
    if (random(5) > 0) entries.push({ ...old, values: [18, 2, ...old.values.slice(2)] });
  }
  return entries;
}

function pageSpecs(count: number): fc.Arbitrary<PageSpec> {
  const time = fc
    .integer({ min: -10, max: Math.ceil(count / 3) * 700 + 10 })
    .map((ms) => 1_700_000_000_000 + ms);
  const type = fc.constantFrom(20, 80, 24, 90, 18);
  const status = fc.integer({ min: 1, max: 5 });
  return fc.record({
    order: fc.constantFrom("id" as const, "createdAt" as const, 0, 1, 2, 3),
    descending: fc.boolean(),
    // Of few that match, most offsets would be beyond the end.
    offset: fc.oneof(fc.constant(0), fc.nat(count + 50), fc.nat(Math.ceil(count / 10))),
    limit: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 201 }) },
      fc.constant(Number.POSITIVE_INFINITY),
    ),
    after: fc.option(time, { nil: Number.NEGATIVE_INFINITY, freq: 2 }),
    before: fc.option(time, { nil: Number.POSITIVE_INFINITY, freq: 2 }),
    equal: fc.oneof(
      fc.constant([]),
      type.map((value) => [[0, value] as const]),
      fc.tuple(type, status).map(([one, other]) => [[0, one] as const, [1, other] as const]),
    ),
    unequal: fc.constantFrom([], [[1, 4] as const]),
  });
}

describe("a page of segments", () => {
  test("equals filtering, sorting and slicing all entries, however they are spread over segments", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 2_500 }),
        fc.integer({ min: 1, max: 30 }),
        fc.nat(),
        fc.array(fc.nat(2_500), { maxLength: 6 }),
        fc.array(pageSpecs(2_500), { minLength: 40, maxLength: 40 }),
        async (count, changeEvery, seed, cuts, given) => {
          const entries = history(count, changeEvery, seed);
          const segments = new SegmentsInMemory(transactionList);
          const ends = [...cuts.toSorted((left, right) => left - right), entries.length];
          let from = 0;
          for (const to of ends.slice(0, -1)) {
            segments.add(entries.slice(from, Math.min(to, entries.length)));
            from = Math.max(from, Math.min(to, entries.length));
          }
          segments.recentEntries = entries.slice(from).slice(-300);
          segments.add(entries.slice(from).slice(0, -300));
          for (const spec of given) expect(await page(segments, spec)).toEqual(naivePage(entries, spec));
        },
      ),
      // A smaller case of a fault is looked for by hand: that takes longer than all else.
      { numRuns: 15, endOnFailure: true },
    );
  }, 180_000);

  test("is exact in a segment of several sparse indexes", async () => {
    const entries = history(75_000, 40, 7);
    const segments = new SegmentsInMemory(transactionList);
    segments.add(entries.slice(0, 70_000));
    segments.add(entries.slice(70_000, -100));
    segments.recentEntries = entries.slice(-100);
    await fc.assert(
      fc.asyncProperty(pageSpecs(75_000), async (given) => {
        const spec = { ...given, limit: Math.min(given.limit, 200) };
        expect(await page(segments, spec)).toEqual(naivePage(entries, spec));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  }, 180_000);

  test("is exact at its end, where blocks at the ends of the time span have many tombstones", async () => {
    const entries = history(1_132, 1, 1_613_134_817);
    const segments = new SegmentsInMemory(transactionList);
    for (const [from, to] of [
      [0, 576],
      [576, 1_872],
      [1_872, 2_072],
    ])
      segments.add(entries.slice(from, to));
    segments.recentEntries = entries.slice(2_072);
    for (const descending of [false, true]) {
      for (let offset = 40; offset < 60; offset += 1) {
        const spec: PageSpec = {
          ...{ order: 0, descending, offset, limit: Number.POSITIVE_INFINITY },
          ...{ after: 1_700_000_078_832, before: Number.POSITIVE_INFINITY },
          ...{ equal: [[0, 80]], unequal: [[1, 4]] },
        };
        expect(await page(segments, spec)).toEqual(naivePage(entries, spec));
      }
    }
  });

  test("of one id is that record, or nothing", async () => {
    const entries = history(1_000, 10, 3);
    const segments = new SegmentsInMemory(transactionList);
    segments.add(entries.slice(0, 700));
    segments.recentEntries = entries.slice(700);
    for (const id of [entries[5]?.id, entries[800]?.id, "txn_none"]) {
      const spec: PageSpec = {
        order: 3,
        descending: false,
        offset: 0,
        limit: 50,
        after: Number.NEGATIVE_INFINITY,
        before: Number.POSITIVE_INFINITY,
        equal: [],
        unequal: [],
        id,
      };
      expect(await page(segments, spec)).toEqual(naivePage(entries, spec));
    }
  });

  test("of one id within a time span is that record, or nothing, wherever the span cuts a block", async () => {
    const entries = history(1_500, 1_000_000, 5);
    const segments = new SegmentsInMemory(transactionList);
    segments.add(entries.slice(0, 900));
    segments.add(entries.slice(900, 1_400));
    segments.recentEntries = entries.slice(1_400);
    const near = fc.option(fc.integer({ min: -3_000, max: 3_000 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.nat(entries.length - 1), near, near, async (index, after, before) => {
        const { id = "", createdAt = 0 } = entries[index] ?? {};
        const spec: PageSpec = {
          ...{ order: 3, descending: false, offset: 0, limit: 50, equal: [], unequal: [[1, 4]], id },
          after: after === undefined ? Number.NEGATIVE_INFINITY : createdAt + after,
          before: before === undefined ? Number.POSITIVE_INFINITY : createdAt + before,
        };
        expect(await page(segments, spec)).toEqual(naivePage(entries, spec));
      }),
      { numRuns: 200 },
    );
  });
});
