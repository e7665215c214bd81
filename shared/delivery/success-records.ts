import DataLoader from "dataloader";
import { writeBatch } from "../platform/table/batch.ts";
import type { Key } from "../platform/table/keys.ts";

/**
 * Records the successes of a batch of messages: what comes during a write shares the next one.
 * Without conditions, because nothing follows a success: it may replace the failure of a copy, but
 * a failure never replaces it.
 */
export class SuccessRecords {
  #writing = Promise.resolve();
  readonly #records = new DataLoader<Key, void, string>((records) => this.#write(records), {
    cacheKeyFn: ({ pk, sk }) => `${pk} ${sk}`,
    batchScheduleFn: (write) => void this.#writing.then(write, write),
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
