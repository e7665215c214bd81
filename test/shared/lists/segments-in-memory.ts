import type { Entry, ListKind } from "../../../shared/lists/entry.ts";
import { compareEntries } from "../../../shared/lists/page-spec.ts";
import {
  Block,
  type PartName,
  pack,
  packBlock,
  type Segment,
  sumEntries,
  unpack,
} from "../../../shared/lists/segment.ts";
import { buildCopies, newSegment } from "../../../shared/lists/segment-writer.ts";
import type { Parts } from "../../../shared/lists/select-page.ts";
import type { SparseIndex } from "../../../shared/lists/sparse-index.ts";

/** Segments in memory, packed as they are stored. */
export class SegmentsInMemory implements Parts {
  readonly segments: Segment[] = [];
  recentEntries: readonly Entry[] = [];
  private readonly kind: ListKind;
  private readonly parts = new Map<string, Uint8Array>();

  constructor(kind: ListKind) {
    this.kind = kind;
  }

  /** Adds a segment of these entries. */
  add(entries: readonly Entry[]): void {
    const sorted = sumEntries(entries).toSorted(compareEntries("createdAt"));
    const segment = newSegment(`segment${this.segments.length}`, sorted);
    for (const { copy, blocks, indexes } of buildCopies(this.kind, sorted)) {
      for (const [index, block] of blocks.entries()) {
        this.parts.set(`${segment.segmentId} ${copy} ${index}`, packBlock(this.kind, block));
      }
      for (const [index, sparseIndex] of indexes.entries()) {
        this.parts.set(`${segment.segmentId} ${copy} i${index}`, pack(sparseIndex));
      }
    }
    if (sorted.length > 0) this.segments.push(segment);
  }

  async recent(): Promise<readonly Entry[]> {
    return this.recentEntries;
  }

  async indexes(names: readonly PartName[]): Promise<SparseIndex[]> {
    return names.map(({ segmentId, copy, index }) => unpack(this.get(`${segmentId} ${copy} i${index}`)));
  }

  async blocks(names: readonly PartName[]): Promise<Block[]> {
    return names.map(
      ({ segmentId, copy, index }) => new Block(this.kind, this.get(`${segmentId} ${copy} ${index}`)),
    );
  }

  private get(name: string): Uint8Array {
    const body = this.parts.get(name);
    if (!body) throw new Error(`There is no ${name}.`);
    return body;
  }
}
