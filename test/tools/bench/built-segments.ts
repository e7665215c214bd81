import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { changeManifest, segmentsToMerge } from "../../../shared/lists/compaction.ts";
import type { Entry, List } from "../../../shared/lists/entry.ts";
import { compareEntries } from "../../../shared/lists/page-spec.ts";
import {
  blockKey,
  indexKey,
  type PartName,
  pack,
  packBlock,
  type Segment,
  sumEntries,
  timeCopy,
} from "../../../shared/lists/segment.ts";
import { buildCopy, newSegment, planCopies, type SegmentCopy } from "../../../shared/lists/segment-writer.ts";
import { manifests } from "../../../shared/lists/store.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newChangeId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { progress } from "./report.ts";

/**
 * The segments that compactions leave, built without writing changes. A part is packed and stored
 * when it is first read, since a run reads few of the millions that a long list has.
 */
export class BuiltSegments {
  readonly #list: List;
  readonly #copies = new Map<string, SegmentCopy>();
  readonly #stored = new Set<string>();
  readonly #entries = new Map<string, readonly Entry[]>();
  segments: readonly Segment[] = [];

  constructor(list: List) {
    this.#list = list;
  }

  /** One compaction, and the merges that follow it. */
  compact(changes: readonly Entry[]): void {
    this.#replace([], changes);
    for (;;) {
      const merged = segmentsToMerge(this.segments);
      if (merged.length === 0) return;
      this.#replace(
        merged,
        merged.flatMap(({ segmentId }) => this.#entries.get(segmentId) ?? []),
      );
    }
  }

  #replace(merged: readonly Segment[], entries: readonly Entry[]): void {
    const sorted = sumEntries(entries).toSorted(compareEntries("createdAt"));
    const segment = newSegment(newChangeId(), sorted);
    for (const { segmentId } of merged) this.#entries.delete(segmentId);
    this.#entries.set(segment.segmentId, sorted);
    this.segments = [...this.segments.filter((other) => !merged.includes(other)), segment];
  }

  /** Makes them the list's segments. */
  async commit(): Promise<void> {
    const { segments } = this;
    for (const { segmentId, blocks } of segments) {
      // The copies that most pages read: building one may take longer than a request.
      const common = planCopies(this.#list.kind, blocks).filter(
        ({ copy, nodeBlocks }) => copy === timeCopy || nodeBlocks >= blocks,
      );
      for (const { copy } of common) {
        progress(`building ${segmentId} ${copy} of ${segments.length} segments`);
        this.#copy({ segmentId, copy, index: 0 });
      }
    }
    await changeManifest(this.#list, () => ({ watermark: newChangeId(), segments, retired: [] }));
    // Below what is measured: a call that stores parts first is still one call.
    const client = DynamoDBDocumentClient.from(new DynamoDBClient());
    const { requestHandler } = table.config;
    const handle = requestHandler.handle.bind(requestHandler);
    requestHandler.handle = async (...call: Parameters<typeof handle>) => {
      const [request] = call;
      for (const Item of readKeys(request).flatMap((key) => this.#unstored(key)))
        await client.send(new PutCommand({ TableName: environment.issuingTable, Item }));
      return handle(...call);
    };
  }

  #unstored({ pk, sk }: Key): Key[] {
    const prefix = `${manifests.key(this.#list).pk}#`;
    const text = `${pk} ${sk}`;
    if (!pk.startsWith(prefix) || this.#stored.has(text)) return [];
    const [segmentId = "", copy = "", group] = pk.slice(prefix.length).split("#");
    if (!this.#entries.has(segmentId)) return [];
    this.#stored.add(text);
    const name = { segmentId, copy, index: Number(sk) };
    return [group === "SPARSE_INDEX" ? this.sparseIndex(name) : this.block(name)];
  }

  /** As it is stored. */
  block(name: PartName): Key & { body: Uint8Array } {
    const entries = this.#copy(name).blocks[name.index] ?? [];
    return { ...blockKey(this.#list, name), body: packBlock(this.#list.kind, entries) };
  }

  /** As it is stored. */
  sparseIndex(name: PartName): Key & { body: Uint8Array } {
    return { ...indexKey(this.#list, name), body: pack(this.#copy(name).indexes[name.index]) };
  }

  #copy({ segmentId, copy }: PartName): SegmentCopy {
    const { kind } = this.#list;
    const known = this.#copies.get(`${segmentId} ${copy}`);
    if (known) return known;
    const blocks = this.segments.find((one) => one.segmentId === segmentId)?.blocks ?? 0;
    const plan = planCopies(kind, blocks).find((one) => one.copy === copy);
    if (!plan) throw new Error(`The segment has no copy ${copy}.`);
    const built = buildCopy(kind, this.#entries.get(segmentId) ?? [], plan);
    this.#copies.set(`${segmentId} ${copy}`, built);
    return built;
  }
}

/** The keys of a batch read, from its body. */
function readKeys({ body }: { readonly body?: unknown }): Key[] {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : "";
  if (!text.includes('"Keys"')) return [];
  const { RequestItems = {} } = JSON.parse(text) as { RequestItems?: Record<string, { Keys?: never[] }> };
  const keys = RequestItems[environment.issuingTable]?.Keys ?? [];
  return keys.map((key) => unmarshall(key) as Key);
}
