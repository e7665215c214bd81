/** A process of its own: its memory is that of one merge, of as many entries as it is told. */

import { Block, blockSize, range, timeCopy } from "../../../shared/lists/segment.ts";
import {
  beginSegment,
  type PartStore,
  packBlock,
  runOfBlocks,
  writeSegment,
} from "../../../shared/lists/segment-writer.ts";
import { transferList as kind } from "../../../shared/wallets/transfer-list.ts";
import { MadeTransfers } from "./made-transfers.ts";
import { PartFile } from "./part-file.ts";

/** The most that are merged at once. Their entries alternate: all are read side by side. */
const segments = 16;
const segmentId = "merged";

export interface Merged {
  readonly entries: number;
  readonly parts: number;
  readonly seconds: number;
  readonly peakMegabytes: number;
}

async function merge(count: number): Promise<Merged> {
  const file = new PartFile(kind);
  const made = new MadeTransfers(count, count);
  const startedMs = performance.now();
  let parts = 0;
  const store: PartStore = {
    kind,
    indexes: (names) => file.indexes(names),
    blocks: async (names) => {
      if (names[0]?.segmentId === segmentId) return file.blocks(names);
      return names.map((name) => sourceBlock(made, Number(name.segmentId), name.index));
    },
    write: async (written) => {
      for (const part of written) {
        await file.write([part]);
        parts += 1;
      }
    },
  };
  const runs = range(0, segments).map((segment) => {
    const last = Math.ceil((count - segment) / segments / blockSize);
    return runOfBlocks(store, { segmentId: String(segment), copy: timeCopy, first: 0, last });
  });
  let progress = beginSegment(segmentId);
  for await (progress of writeSegment(store, progress, runs));
  const { entries } = progress.segment;
  const seconds = (performance.now() - startedMs) / 1_000;
  return { entries, parts, seconds, peakMegabytes: process.resourceUsage().maxRSS / 1_024 };
}

/** As it is stored: what reads it unpacks it. */
function sourceBlock(made: MadeTransfers, segment: number, block: number): Block {
  const entries = range(block * blockSize, (block + 1) * blockSize)
    .map((row) => row * segments + segment)
    .filter((row) => row < made.length)
    .map((row) => made.at(row));
  return new Block(kind, packBlock(kind, entries));
}

process.send?.(await merge(Number(process.argv[2])));
process.disconnect?.();
