import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { branching, highestLevel, nodesBetween } from "../../../shared/lists/segment.ts";

const ranges = fc
  .tuple(fc.integer({ min: 1, max: 20_000 }), fc.nat(), fc.nat())
  .map(([blocks, one, other]) => {
    const [first, last] = [one % (blocks + 1), other % (blocks + 1)].toSorted((left, right) => left - right);
    return { blocks, first: first as number, last: last as number };
  });

describe("the nodes of a range of blocks", () => {
  test("add up to each of its blocks once and to no other, each a node of its level", () => {
    fc.assert(
      fc.property(ranges, fc.integer({ min: 0, max: 8 }), ({ blocks, first, last }, level) => {
        const top = Math.min(level, highestLevel(blocks));
        // Single blocks of a long range would be too many to count here.
        fc.pre(last - first < 2_000 * branching ** top);
        const times = new Int8Array(blocks);
        for (const node of nodesBetween(first, last, blocks, top)) {
          expect(node.level).toBeLessThanOrEqual(top);
          expect(node.first % branching ** node.level).toBe(0);
          expect(node.last).toBe(Math.min(node.first + branching ** node.level, blocks));
          for (let block = node.first; block < node.last; block += 1) {
            times[block] = (times[block] ?? 0) + (node.isSubtracted ? -1 : 1);
          }
        }
        const expected = new Int8Array(blocks).fill(1, first, last);
        expect(Buffer.from(times).equals(Buffer.from(expected))).toBe(true);
      }),
    );
  });

  test("are few: half of `branching` for each level at each end", () => {
    fc.assert(
      fc.property(ranges, ({ blocks, first, last }) => {
        const levels = highestLevel(blocks);
        expect(nodesBetween(first, last, blocks, levels).length).toBeLessThanOrEqual(branching * levels + 1);
      }),
    );
  });

  test("are a single one if the range is everything", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), (blocks) => {
        const level = highestLevel(blocks);
        expect(nodesBetween(0, blocks, blocks, level)).toEqual([
          { level, first: 0, last: blocks, isSubtracted: false },
        ]);
      }),
    );
  });
});
