/** A process of its own merges synthesized segments of the kind and size that its parent gives. */

import { findListKind } from "../../../shared/list-kinds.ts";
import { type Entry, type ListKind, listAttributes } from "../../../shared/lists/entry.ts";
import { Block, blockSize, packBlock, range, timeCopy } from "../../../shared/lists/segment.ts";
import {
  beginSegment,
  type PartStore,
  runOfBlocks,
  writeSegment,
} from "../../../shared/lists/segment-writer.ts";
import { ulidAlphabet } from "../../../shared/platform/id.ts";
import { PartFile } from "./part-file.ts";

/** As many as are ever merged at once. Their entries alternate: all are read side by side. */
const segments = 16;
const startedAtMs = Date.UTC(2025, 0);
const stepMs = 250;

export interface Merged {
  readonly entries: number;
  readonly parts: number;
  readonly seconds: number;
  readonly peakMegabytes: number;
}

async function merge(kind: ListKind, count: number): Promise<Merged> {
  const file = new PartFile(kind);
  const startedMs = performance.now();
  let parts = 0;
  const isSource = (segmentId: string) => segmentId !== merged;
  const store: PartStore = {
    kind,
    indexes: (names) => file.indexes(names),
    blocks: async (names) =>
      names[0] && isSource(names[0].segmentId)
        ? names.map((name) => sourceBlock(kind, Number(name.segmentId), name.index, count))
        : file.blocks(names),
    write: async (written) => {
      for (const part of written) {
        await file.write([part]);
        parts += 1;
      }
    },
  };
  const blocks = Math.ceil(count / segments / blockSize);
  const runs = range(0, segments).map((segment) =>
    runOfBlocks(store, { segmentId: String(segment), copy: timeCopy, first: 0, last: blocks }),
  );
  let progress = beginSegment(merged);
  for await (progress of writeSegment(store, progress, runs));
  const { entries } = progress.segment;
  if (entries !== count) throw new Error(`The merge has ${entries} entries, not ${count}.`);
  return {
    entries,
    parts,
    seconds: (performance.now() - startedMs) / 1_000,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  };
}

const merged = "merged";

/** As it is stored: what reads it unpacks it. */
function sourceBlock(kind: ListKind, segment: number, block: number, count: number): Block {
  const entries = range(block * blockSize, (block + 1) * blockSize)
    .map((row) => row * segments + segment)
    .filter((index) => index < count)
    .map((index) => entryOf(kind, index));
  return new Block(kind, packBlock(kind, entries));
}

function entryOf(kind: ListKind, index: number): Entry {
  const createdAt = startedAtMs + index * stepMs;
  const values = listAttributes(kind).map(
    (_, at) => (index * 7_919) % (at < kind.filters.length ? 4 : 25_013),
  );
  return { id: `trf_${ulid(createdAt, index)}`, createdAt, values, weight: 1 };
}

/** Of this time, and otherwise as random as others are. */
function ulid(timeMs: number, seed: number): string {
  let text = "";
  for (let left = timeMs, at = 0; at < 10; left = Math.floor(left / 32), at += 1)
    text = `${ulidAlphabet[left % 32]}${text}`;
  for (let state = seed + 1, at = 0; at < 16; at += 1) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at) >>> 0;
    text += ulidAlphabet[state >>> 27];
  }
  return text;
}

process.once("message", async ({ list, count }: { list: string; count: number }) => {
  process.send?.(await merge(findListKind(list), count));
  process.disconnect();
});
