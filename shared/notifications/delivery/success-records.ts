import DataLoader from "dataloader";
import { pause } from "../../platform/clock.ts";
import { writeBatch } from "../../platform/table/batch.ts";
import type { Key } from "../../platform/table/keys.ts";

/** In a burst, most of a batch's receivers answer so close to each other. */
const gatherMs = 5;

/**
 * Records the successes of a batch of messages: those close to each other share a write, and what
 * comes during it the next one.
 * Without conditions, because nothing follows a success: it may replace the failure of a copy, but
 * a failure never replaces it.
 */
export class SuccessRecords {
  #writing = Promise.resolve();
  readonly #records = new DataLoader<Key, void, string>((records) => this.#write(records), {
    cacheKeyFn: ({ pk, sk }) => `${pk} ${sk}`,
    batchScheduleFn: (write) => {
      const written = this.#writing.catch(() => undefined);
      void written.then(() => pause(gatherMs)).then(write);
    },
  });

  /** @throws Error if it may not be written */
  write(record: Key): Promise<void> {
    return this.#records.load(record);
  }

  async #write(records: readonly Key[]): Promise<undefined[]> {
    this.#writing = writeBatch(records.map((put) => ({ put })));
    await this.#writing;
    return records.map(() => undefined);
  }
}
