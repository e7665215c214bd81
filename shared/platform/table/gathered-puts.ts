import DataLoader from "dataloader";
import { inTime } from "../clock.ts";
import { writeBatch } from "./batch.ts";
import type { Key } from "./keys.ts";

/** In a burst, most of a batch's receivers answer so close to each other. */
const gatherMs = 5;

/**
 * Writes the items of simultaneous work: those close to each other share a write, and what comes
 * during it the next one. Without conditions: what comes later replaces what is there.
 */
export class GatheredPuts {
  #writing = Promise.resolve();
  readonly #items: DataLoader<Key, void, string>;
  readonly #all = Promise.withResolvers<void>();
  #left: number;

  /** @param workers how many may have an item. The last one's waits for no other. */
  constructor(workers: number) {
    this.#left = workers;
    this.#items = new DataLoader((items) => this.#write(items), {
      cacheKeyFn: ({ pk, sk }) => `${pk} ${sk}`,
      batchScheduleFn: (write) => {
        const written = this.#writing.catch(() => undefined);
        void written.then(() => inTime(gatherMs, this.#all.promise)).then(write);
      },
    });
  }

  /** @throws Error if it may not be written */
  write(item: Key): Promise<void> {
    this.#left -= 1;
    if (this.#left === 0) this.#all.resolve();
    return this.#items.load(item);
  }

  async #write(items: readonly Key[]): Promise<undefined[]> {
    this.#writing = writeBatch(items.map((put) => ({ put })));
    await this.#writing;
    return items.map(() => undefined);
  }
}
