import type { Entry, ListKind } from "../../../shared/lists/kind.ts";
import { compareEntries, type Order } from "../../../shared/lists/page-spec.ts";
import {
  Block,
  hasSortedCopies,
  type PartName,
  type Segment,
  sumEntries,
  summaryName,
  timeCopy,
  unpack,
} from "../../../shared/lists/segment.ts";
import {
  beginSegment,
  type Part,
  type PartStore,
  runOfEntries,
  writeSegment,
} from "../../../shared/lists/segment-writer.ts";
import type { Parts } from "../../../shared/lists/select-page.ts";
import type { SparseIndex, Summary } from "../../../shared/lists/sparse-index.ts";

/** Segments in memory, packed as they are stored. */
export class SegmentsInMemory implements PartStore {
  readonly segments: Segment[] = [];
  recentEntries: readonly Entry[] = [];
  readonly kind: ListKind;
  readonly #parts = new Map<string, Uint8Array>();

  constructor(kind: ListKind) {
    this.kind = kind;
  }

  /** Adds a segment of these entries. */
  async add(entries: readonly Entry[]): Promise<void> {
    const sorted = sumEntries(entries).toSorted(compareEntries("createdAt"));
    let progress = beginSegment(`segment${this.segments.length}`);
    for await (progress of writeSegment(this, progress, [runOfEntries(sorted)]));
    if (sorted.length > 0) this.segments.push(progress.segment);
  }

  /** As a page in an order reads them. */
  parts(order: Order): Parts {
    const copy = hasSortedCopies(this.kind, order) ? order : timeCopy;
    const summaries = this.segments.flatMap(({ segmentId }): [string, Summary][] => {
      const body = this.#parts.get(nameOf("summary", summaryName(copy, segmentId)));
      return body ? [[segmentId, unpack<Summary>(body)]] : [];
    });
    return {
      segments: this.segments,
      summaries: new Map(summaries),
      recent: async () => this.recentEntries,
      indexes: (names) => this.indexes(names),
      blocks: (names) => this.blocks(names),
      by: async (other) => this.parts(other),
    };
  }

  async write(parts: Iterable<Part>): Promise<void> {
    for (const { sort, name, body } of parts) this.#parts.set(nameOf(sort, name), body);
  }

  async indexes(names: readonly PartName[]): Promise<SparseIndex[]> {
    return names.map((name) => unpack(this.#get("index", name)));
  }

  async blocks(names: readonly PartName[]): Promise<Block[]> {
    return names.map((name) => new Block(this.kind, this.#get("block", name)));
  }

  /** The bytes of everything, and how many parts there are. */
  size(): { readonly bytes: number; readonly parts: number } {
    const bodies = [...this.#parts.values()];
    return { bytes: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0), parts: bodies.length };
  }

  #get(sort: Part["sort"], name: PartName): Uint8Array {
    const body = this.#parts.get(nameOf(sort, name));
    if (!body) throw new Error(`There is no ${nameOf(sort, name)}.`);
    return body;
  }
}

function nameOf(sort: Part["sort"], { segmentId, copy, index }: PartName): string {
  return `${sort} ${segmentId} ${copy} ${index}`;
}
