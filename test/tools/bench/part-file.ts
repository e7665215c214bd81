import { mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ListKind } from "../../../shared/lists/kind.ts";
import { Block, type PartName, unpack } from "../../../shared/lists/segment.ts";
import type { Part, PartStore } from "../../../shared/lists/segment-writer.ts";
import type { SparseIndex } from "../../../shared/lists/sparse-index.ts";

/** A body has fewer bytes: DynamoDB's items do. */
const mostBytes = 2 ** 19;

/** Parts in a temporary file, however many. */
export class PartFile implements PartStore {
  readonly kind: ListKind;
  readonly #file: number;
  #end = 0;
  /** Of each copy, by index: where the body is, and its length. */
  readonly #places = new Map<string, number[]>();

  constructor(kind: ListKind) {
    this.kind = kind;
    const folder = mkdtempSync(path.join(tmpdir(), "parts-"));
    this.#file = openSync(path.join(folder, "parts"), "w+");
    // It is there as long as it is open: this process does not leave gigabytes behind.
    rmSync(folder, { recursive: true });
  }

  async write(parts: Iterable<Part>): Promise<void> {
    for (const { sort, name, body } of parts) {
      const places = this.#places.get(copyText(sort, name)) ?? [];
      this.#places.set(copyText(sort, name), places);
      writeSync(this.#file, body, 0, body.byteLength, this.#end);
      places[name.index] = this.#end * mostBytes + body.byteLength;
      this.#end += body.byteLength;
    }
  }

  body(sort: Part["sort"], name: PartName): Uint8Array | undefined {
    const place = this.#places.get(copyText(sort, name))?.[name.index];
    if (place === undefined) return undefined;
    const body = new Uint8Array(place % mostBytes);
    readSync(this.#file, body, 0, body.byteLength, Math.floor(place / mostBytes));
    return body;
  }

  async blocks(names: readonly PartName[]): Promise<Block[]> {
    return names.map((name) => new Block(this.kind, this.#known("block", name)));
  }

  async indexes(names: readonly PartName[]): Promise<SparseIndex[]> {
    return names.map((name) => unpack<SparseIndex>(this.#known("index", name)));
  }

  #known(sort: Part["sort"], name: PartName): Uint8Array {
    const body = this.body(sort, name);
    if (!body) throw new Error(`There is no ${copyText(sort, name)} ${name.index}.`);
    return body;
  }
}

function copyText(sort: Part["sort"], { segmentId, copy }: PartName): string {
  return `${sort} ${segmentId} ${copy}`;
}
