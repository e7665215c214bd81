import { BoundedMap } from "../../shared/platform/bounded-map.ts";
import { monotonicMs } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import { hasNetwork } from "../../shared/tenancy/connections/connection.ts";

/** A change is unnoticed for so long at most. */
export const staleMs = 30_000;
/** Then it is read again, while messages go on with what is known. */
const freshMs = 10_000;

interface Known {
  readonly isServed: Promise<boolean>;
  readonly readMs: number;
  isRefreshed?: boolean;
}

/** Which Programs ISO 8583 serves. A message of a busy Program does not wait for a read. */
export class Processors {
  readonly #known = new BoundedMap<string, Known>(10_000);
  readonly #read: (programId: string) => Promise<boolean>;

  constructor(read = hasNetwork) {
    this.#read = read;
  }

  isServed(programId: string): Promise<boolean> {
    const known = this.#known.get(programId);
    const ageMs = known ? monotonicMs() - known.readMs : Number.POSITIVE_INFINITY;
    if (!known || ageMs >= staleMs) return this.#remember(programId).isServed;
    if (ageMs >= freshMs && !known.isRefreshed) {
      known.isRefreshed = true;
      this.#refresh(programId).catch((error: unknown) => {
        known.isRefreshed = false;
        log.warn("A Program's processor cannot be read again.", { programId, error });
      });
    }
    return known.isServed;
  }

  #remember(programId: string): Known {
    const known = { readMs: monotonicMs(), isServed: this.#read(programId) };
    this.#known.set(programId, known);
    known.isServed.catch(() => {
      if (this.#known.get(programId) === known) this.#known.delete(programId);
    });
    return known;
  }

  async #refresh(programId: string): Promise<void> {
    const readMs = monotonicMs();
    const isServed = await this.#read(programId);
    this.#known.set(programId, { readMs, isServed: Promise.resolve(isServed) });
  }
}
