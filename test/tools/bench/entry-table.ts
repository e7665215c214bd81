import { type Entry, type ListKind, listAttributes, type Value } from "../../../shared/lists/kind.ts";
import { compareValues, type Order } from "../../../shared/lists/page-spec.ts";

/** Numbers as they are, texts by their place among all that there were. */
class Column {
  readonly #cells: Float64Array;
  readonly #texts: string[] = [];
  readonly #places = new Map<string, number>();
  #isOfTexts = false;

  constructor(capacity: number) {
    this.#cells = new Float64Array(capacity);
  }

  set(row: number, value: Value): void {
    if (typeof value !== "string") {
      this.#cells[row] = value ?? Number.NaN;
      return;
    }
    this.#isOfTexts = true;
    let place = this.#places.get(value);
    if (place === undefined) {
      place = this.#texts.push(value) - 1;
      this.#places.set(value, place);
    }
    this.#cells[row] = place;
  }

  at(row: number): Value {
    const cell = this.#cells[row] ?? Number.NaN;
    if (Number.isNaN(cell)) return null;
    return this.#isOfTexts ? (this.#texts[cell] ?? null) : cell;
  }
}

/** Millions of entries in little memory, by columns. */
export class EntryTable {
  length = 0;
  readonly #idLength: number;
  readonly #ids: Buffer;
  readonly #createdAt: Float64Array;
  readonly #weights: Int8Array;
  readonly #columns: readonly Column[];

  constructor(kind: ListKind, capacity: number, idLength = 30) {
    this.#idLength = idLength;
    this.#ids = Buffer.alloc(capacity * idLength);
    this.#createdAt = new Float64Array(capacity);
    this.#weights = new Int8Array(capacity);
    this.#columns = listAttributes(kind).map(() => new Column(capacity));
  }

  push({ id, createdAt, values, weight }: Entry): void {
    const row = this.length;
    if (id.length !== this.#idLength || row === this.#weights.length)
      throw new Error(`The table has no place for ${id}.`);
    this.#ids.write(id, row * this.#idLength, "latin1");
    this.#createdAt[row] = createdAt;
    this.#weights[row] = weight;
    for (const [index, column] of this.#columns.entries()) column.set(row, values[index] ?? null);
    this.length += 1;
  }

  at(row: number): Entry {
    const values = this.#columns.map((column) => column.at(row));
    return { id: this.id(row), createdAt: this.createdAt(row), values, weight: this.weight(row) };
  }

  id(row: number): string {
    return this.#ids.toString("latin1", row * this.#idLength, (row + 1) * this.#idLength);
  }

  createdAt(row: number): number {
    return this.#createdAt[row] ?? 0;
  }

  weight(row: number): number {
    return this.#weights[row] ?? 0;
  }

  value(row: number, index: number): Value {
    return this.#columns[index]?.at(row) ?? null;
  }

  rows(from = 0, to = this.length): Int32Array {
    return Int32Array.from({ length: to - from }, (_, index) => from + index);
  }

  /** Of equal positions, the first row comes first. */
  sorted(rows: Int32Array, order: Order): Int32Array {
    const compareIds = (left: number, right: number) => {
      const [start, other] = [left * this.#idLength, right * this.#idLength];
      return this.#ids.compare(this.#ids, other, other + this.#idLength, start, start + this.#idLength);
    };
    const compare = (left: number, right: number) => {
      const byValue =
        order === "id"
          ? 0
          : order === "createdAt"
            ? this.createdAt(left) - this.createdAt(right)
            : compareValues(this.value(left, order), this.value(right, order));
      return byValue || compareIds(left, right) || left - right;
    };
    return rows.toSorted(compare);
  }

  /** Without tombstones whose entries are among them, and without these. */
  summed(rows: Int32Array): Int32Array {
    const tombstones = rows.filter((row) => this.weight(row) < 0);
    if (tombstones.length === 0) return rows;
    const ofId = new Map<string, number[]>();
    for (const row of tombstones) ofId.set(this.id(row), []);
    for (const row of rows) if (this.weight(row) > 0) ofId.get(this.id(row))?.push(row);
    const removed = new Set<number>();
    for (const tombstone of tombstones) {
      const values = JSON.stringify(this.at(tombstone).values);
      const isRemoved = (row: number) => !removed.has(row) && JSON.stringify(this.at(row).values) === values;
      const entry = ofId.get(this.id(tombstone))?.find(isRemoved);
      if (entry !== undefined) removed.add(entry).add(tombstone);
    }
    return rows.filter((row) => !removed.has(row));
  }
}
