import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PageSpec } from "../../../shared/lists/page-spec.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { history, naivePage, page, pageSpecs } from "./given-history.ts";
import { SegmentsInMemory } from "./segments-in-memory.ts";

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
            await segments.add(entries.slice(from, Math.min(to, entries.length)));
            from = Math.max(from, Math.min(to, entries.length));
          }
          segments.recentEntries = entries.slice(from).slice(-300);
          await segments.add(entries.slice(from).slice(0, -300));
          for (const spec of given) expect(await page(segments, spec)).toEqual(naivePage(entries, spec));
        },
      ),
      // A smaller case of a fault is looked for by hand: that takes longer than all else.
      { numRuns: 15, endOnFailure: true },
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
      await segments.add(entries.slice(from, to));
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

  test("of one id within a time span is that record, or nothing, wherever the span cuts a block", async () => {
    const entries = history(1_500, 1_000_000, 5);
    const segments = new SegmentsInMemory(transactionList);
    await segments.add(entries.slice(0, 900));
    await segments.add(entries.slice(900, 1_400));
    segments.recentEntries = entries.slice(1_400);
    const near = fc.option(fc.integer({ min: -3_000, max: 3_000 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.nat(entries.length), near, near, async (index, after, before) => {
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
