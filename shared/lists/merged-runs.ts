import type { Entry } from "./kind.ts";
import { compareEntries, type Order } from "./page-spec.ts";
import { sumEntries } from "./segment.ts";

/** Some of a run's sorted entries, from a place on; none at its end. */
export type Run = (from: number) => Promise<readonly Entry[]>;

interface Reader {
  readonly read: Run;
  taken: number;
  entries: readonly Entry[];
  next: number;
  isAtEnd: boolean;
}

/** The sum of sorted runs, in order, of which only what was read and not taken is in memory. */
export class MergedRuns {
  readonly #readers: readonly Reader[];
  readonly #compare: (left: Entry, right: Entry) => number;
  /** Summed, but not taken. */
  #held: Entry[];

  /** Goes on after what was taken and held before. */
  constructor(
    runs: readonly Run[],
    order: Order,
    { taken, held }: { readonly taken: readonly number[]; readonly held: readonly Entry[] },
  ) {
    this.#readers = runs.map((read, index) => ({
      ...{ read, taken: taken[index] ?? 0, entries: [], next: 0, isAtEnd: false },
    }));
    this.#compare = compareEntries(order);
    this.#held = [...held];
  }

  get taken(): number[] {
    return this.#readers.map(({ taken }) => taken);
  }

  get held(): readonly Entry[] {
    return this.#held;
  }

  async isEnd(): Promise<boolean> {
    await this.#read();
    return this.#held.length === 0 && !this.#least();
  }

  /** The next entries: so many, or all that are left. */
  async take(most: number): Promise<Entry[]> {
    const summed = this.#held;
    /** Entries of one position: a tombstone is beside what it removes. */
    let equal: Entry[] = [];
    const addEqual = () => {
      const [first] = equal;
      if (equal.length > 1) summed.push(...sumEntries(equal));
      else if (first && first.weight !== 0) summed.push(first);
    };
    await this.#read();
    for (;;) {
      const reader = this.#least();
      const entry = reader?.entries[reader.next];
      const [first] = equal;
      if (!entry || (first && this.#compare(first, entry) !== 0)) {
        addEqual();
        equal = [];
      }
      if (!reader || !entry || (equal.length === 0 && summed.length >= most)) break;
      reader.next += 1;
      reader.taken += 1;
      equal.push(entry);
      if (reader.next === reader.entries.length) await this.#read();
    }
    this.#held = summed.slice(most);
    return summed.slice(0, most);
  }

  async #read(): Promise<void> {
    const used = this.#readers.filter(({ isAtEnd, next, entries }) => !isAtEnd && next === entries.length);
    const read = async (reader: Reader) => {
      reader.entries = await reader.read(reader.taken);
      reader.next = 0;
      reader.isAtEnd = reader.entries.length === 0;
    };
    await Promise.all(used.map(read));
  }

  /** The reader with the first entry; of equal ones, the first. */
  #least(): Reader | undefined {
    let least: Reader | undefined;
    let first: Entry | undefined;
    for (const reader of this.#readers) {
      const entry = reader.entries[reader.next];
      if (!entry || (first && this.#compare(first, entry) <= 0)) continue;
      [least, first] = [reader, entry];
    }
    return least;
  }
}
