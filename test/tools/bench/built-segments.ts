import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { List } from "../../../shared/lists/kind.ts";
import { changeManifest } from "../../../shared/lists/manifest.ts";
import { segmentsToMerge } from "../../../shared/lists/merges.ts";
import { blockKey, indexKey, type PartName, type Segment } from "../../../shared/lists/segment.ts";
import { beginSegment, type Part, writeParts, writeSegment } from "../../../shared/lists/segment-writer.ts";
import { manifests } from "../../../shared/lists/store.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newChangeId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import type { EntryTable } from "./entry-table.ts";
import { PartFile } from "./part-file.ts";
import { progress } from "./report.ts";

/** How many entries of a run are in memory. */
const entriesAhead = 8_192;

/** A segment that compactions would leave: only its size matters until it is written. */
interface Planned extends Segment {
  /** Rows of the table, sorted by time. */
  readonly rows: Int32Array;
}

/**
 * The segments that compactions leave, built without writing changes: the product writes them
 * into a file. A part is stored in the table when it is first read: a run reads few of them.
 */
export class BuiltSegments {
  segments: readonly Segment[] = [];
  readonly #list: List;
  readonly #entries: EntryTable;
  #planned: readonly Planned[] = [];
  readonly #file: PartFile;

  constructor(list: List, entries: EntryTable) {
    this.#list = list;
    this.#entries = entries;
    this.#file = new PartFile(list.kind);
  }

  /** One compaction of rows, and the merges that follow it. */
  compact(from: number, to: number): void {
    this.#replace([], this.#entries.rows(from, to));
    for (;;) {
      const merged = segmentsToMerge(this.#planned) as Planned[];
      if (merged.length === 0) return;
      const all = new Int32Array(merged.reduce((sum, { rows }) => sum + rows.length, 0));
      let end = 0;
      for (const { rows } of merged) {
        all.set(rows, end);
        end += rows.length;
      }
      this.#replace(merged, all);
    }
  }

  #replace(merged: readonly Planned[], rows: Int32Array): void {
    const sorted = this.#entries.sorted(this.#entries.summed(rows), "createdAt");
    const { segment } = beginSegment(newChangeId());
    const planned = { ...segment, entries: sorted.length, rows: sorted };
    this.#planned = [...this.#planned.filter((other) => !merged.includes(other)), planned];
  }

  /** Writes them. */
  async write(): Promise<void> {
    const { kind } = this.#list;
    const [file, entries] = [this.#file, this.#entries];
    const store = {
      kind,
      blocks: (names: readonly PartName[]) => file.blocks(names),
      indexes: (names: readonly PartName[]) => file.indexes(names),
      write: async (parts: Iterable<Part>) => {
        const all = [...parts];
        await file.write(all);
        await writeParts(
          this.#list,
          all.filter(({ sort }) => sort === "summary"),
        );
      },
    };
    for (const { segmentId, rows } of this.#planned) {
      const run = async (from: number) =>
        [...rows.subarray(from, from + entriesAhead)].map((row) => entries.at(row));
      let written = beginSegment(segmentId);
      for await (written of writeSegment(store, written, [run])) {
        const { step, indexes } = written;
        progress(
          `segment ${this.segments.length + 1} of ${this.#planned.length}: ${rows.length} entries, step ${step}, ${indexes}`,
        );
      }
      this.segments = [...this.segments, written.segment];
    }
  }

  /** Makes them the list's segments. */
  commit(): Promise<void> {
    return serveParts(this.#list, this.segments, (name, sort) =>
      sort === "index" ? this.sparseIndex(name) : this.block(name),
    );
  }

  /** As it is stored. */
  block(name: PartName): Key & { body: Uint8Array | undefined } {
    return { ...blockKey(this.#list, name), body: this.#file.body("block", name) };
  }

  /** As it is stored. */
  sparseIndex(name: PartName): Key & { body: Uint8Array | undefined } {
    return { ...indexKey(this.#list, name), body: this.#file.body("index", name) };
  }
}

type StoredPart = Key & { body: Uint8Array | undefined };

/** Makes these a list's segments. What `partOf` gives is stored when it is first read. */
export async function serveParts(
  list: List,
  segments: readonly Segment[],
  partOf: (name: PartName, sort: "index" | "block") => StoredPart,
): Promise<void> {
  const prefix = `${manifests.key(list).pk}#`;
  const stored = new Set<string>();
  const unstored = ({ pk, sk }: Key): StoredPart[] => {
    const text = `${pk} ${sk}`;
    if (!pk.startsWith(prefix) || stored.has(text)) return [];
    const [segmentId = "", copy = "", group] = pk.slice(prefix.length).split("#");
    if (!segments.some((one) => one.segmentId === segmentId)) return [];
    stored.add(text);
    const name = { segmentId, copy, index: Number(sk) };
    return [partOf(name, group === "SPARSE_INDEX" ? "index" : "block")];
  };
  await changeManifest(list, () => ({ watermark: newChangeId(), segments, retired: [] }));
  // Below what is measured: a call that stores parts first is still one call.
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const { requestHandler } = table.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (...call: Parameters<typeof handle>) => {
    const [request] = call;
    // One by one: making them takes long enough for other calls to be given up.
    for (const key of readKeys(request))
      for (const Item of unstored(key))
        await client.send(new PutCommand({ TableName: environment.issuingTable, Item }));
    return handle(...call);
  };
}

/** The keys of a batch read, from its body. */
function readKeys({ body }: { readonly body?: unknown }): Key[] {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : "";
  if (!text.includes('"Keys"')) return [];
  const { RequestItems = {} } = JSON.parse(text) as { RequestItems?: Record<string, { Keys?: never[] }> };
  const keys = RequestItems[environment.issuingTable]?.Keys ?? [];
  return keys.map((key) => unmarshall(key) as Key);
}
