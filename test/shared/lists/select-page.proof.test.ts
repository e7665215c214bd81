import fc from "fast-check";
import { expect, test } from "vitest";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { history, naivePage, page, pageSpecs } from "./given-history.ts";
import { SegmentsInMemory } from "./segments-in-memory.ts";

test("a page is exact in a segment of several sparse indexes", async () => {
  const entries = history(75_000, 40, 7);
  const segments = new SegmentsInMemory(transactionList);
  await segments.add(entries.slice(0, 70_000));
  await segments.add(entries.slice(70_000, -100));
  segments.recentEntries = entries.slice(-100);
  await fc.assert(
    fc.asyncProperty(pageSpecs(75_000), async (given) => {
      const spec = { ...given, limit: Math.min(given.limit, 200) };
      expect(await page(segments, spec)).toEqual(naivePage(entries, spec));
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
