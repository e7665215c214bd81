import { expect, test } from "vitest";
import { blockSize } from "../../../shared/lists/segment.ts";
import {
  beginSegment,
  type Part,
  type PartStore,
  writeSegment,
} from "../../../shared/lists/segment-writer.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import { MadeTransfers } from "../../tools/bench/made-transfers.ts";
import { SegmentsInMemory } from "./segments-in-memory.ts";

const hexOf = (body: Uint8Array) => Buffer.from(body).toString("hex");

/** Nodes of several sparse indexes, and of more than one level; segments of one index. */
test.each([
  [150_000, 150_000],
  [20_000, 900],
])(
  "of %i made transfers, compacted by %i, each part has the bytes that the product writes",
  async (length, batch) => {
    const made = new MadeTransfers(length, batch);
    expect(made.segments.reduce((sum, { entries }) => sum + entries, 0)).toBe(length);
    for (const { from, ...segment } of made.segments) {
      const memory = new SegmentsInMemory(transferList);
      const written: Part[] = [];
      const store: PartStore = {
        kind: transferList,
        blocks: (names) => memory.blocks(names),
        indexes: (names) => memory.indexes(names),
        write: (parts) => {
          const all = [...parts];
          written.push(...all);
          return memory.write(all);
        },
      };
      const run = async (taken: number) =>
        Array.from({ length: Math.min(64 * blockSize, segment.entries - taken) }, (_, at) =>
          made.at(from + taken + at),
        );
      let progress = beginSegment(segment.segmentId);
      for await (progress of writeSegment(store, progress, [run]));
      expect(progress.segment).toEqual(segment);
      for (const { sort, name, body } of written)
        expect(hexOf(made[sort](name)), `${sort} ${name.copy} ${name.index}`).toBe(hexOf(body));
    }
  },
);
