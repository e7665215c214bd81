import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Entry, Value } from "./entry.ts";
import { attributesOf, kinds, type ListedKind } from "./listed-kind.ts";

/** Entries of a block. Packed, it has a few KB: more for kinds with more filters and orders. */
export const blockSize = 128;

/** Ids are random: more effort than this makes them no smaller. */
const effort = { level: 3, windowBits: 13 };

/** Anything as small as can be had for little work: its JSON, deflated. */
export function pack(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value), effort);
}

export function unpack<T>(packed: Uint8Array): T {
  return JSON.parse(inflateRawSync(packed).toString()) as T;
}

/** A block's entries by columns: like stands with like. Times are told from the id's own, weights only where one is not 1. */
type Columns = readonly [ids: string, createdAt: number[], weights: number[] | 0, ...values: Value[][]];

export function packBlock(kind: ListedKind, entries: readonly Entry[]): Uint8Array {
  const times = timeColumns(kind);
  const columns: Columns = [
    entries.map(({ id }) => id).join(" "),
    entries.map(({ id, createdAt }) => createdAt - timeIn(id)),
    entries.every(({ weight }) => weight === 1) ? 0 : entries.map(({ weight }) => weight),
    ...times.map((isTime, column) =>
      entries.map(({ createdAt, values }) => {
        const value = values[column] ?? null;
        return isTime && typeof value === "number" ? value - createdAt : value;
      }),
    ),
  ];
  return pack(columns);
}

/** A block's entries, of which only what is asked for is made. */
export class Block {
  readonly length: number;
  readonly #ids: readonly string[];
  readonly #offsets: readonly number[];
  readonly #weights: readonly number[] | 0;
  readonly #columns: readonly Value[][];
  readonly #times: readonly boolean[];

  constructor(kind: ListedKind, packed: Uint8Array) {
    const [ids, offsets, weights, ...columns] = unpack<Columns>(packed);
    this.#ids = ids.split(" ");
    this.length = this.#ids.length;
    [this.#offsets, this.#weights, this.#columns, this.#times] = [
      offsets,
      weights,
      columns,
      timeColumns(kind),
    ];
  }

  id(row: number): string {
    return this.#ids[row] ?? "";
  }

  createdAt(row: number): number {
    return timeIn(this.id(row)) + (this.#offsets[row] ?? 0);
  }

  weight(row: number): number {
    return this.#weights === 0 ? 1 : (this.#weights[row] ?? 1);
  }

  value(row: number, index: number): Value {
    const value = this.#columns[index]?.[row] ?? null;
    return this.#times[index] && typeof value === "number" ? value + this.createdAt(row) : value;
  }

  entry(row: number): Entry {
    const values = this.#columns.map((_, index) => this.value(row, index));
    return { id: this.id(row), createdAt: this.createdAt(row), values, weight: this.weight(row) };
  }

  entries(): Entry[] {
    return Array.from({ length: this.length }, (_, row) => this.entry(row));
  }
}

function timeColumns(kind: ListedKind): boolean[] {
  return attributesOf(kind).map((attribute) => kinds[kind].times.includes(attribute));
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeLength = 10;

/** The time that an id begins with, as fast as can be; of anything else, some number that is the same each time. */
function timeIn(id: string): number {
  const start = id.indexOf("_") + 1;
  let time = 0;
  for (let at = start; at < start + timeLength; at += 1) time = time * 32 + alphabet.indexOf(id[at] ?? "0");
  return time;
}
