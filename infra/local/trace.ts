import type { Clock, Trace, TraceEntry } from "./interfaces.ts";

export interface TimedTraceEntry extends TraceEntry {
  sequence: number;
  /** Virtual time, ISO 8601 UTC. */
  at: string;
}

const CAPACITY = 10_000;

/** Keeps the last entries in memory; older ones fall out so that a long run does not grow. */
export class MemoryTrace implements Trace {
  readonly #clock: Pick<Clock, "now">;
  readonly #entries: TimedTraceEntry[] = [];
  #sequence = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  record(entry: TraceEntry): void {
    this.#sequence += 1;
    this.#entries.push({ sequence: this.#sequence, at: new Date(this.#clock.now()).toISOString(), ...entry });
    if (this.#entries.length > CAPACITY * 1.1) this.#entries.splice(0, this.#entries.length - CAPACITY);
  }

  /** The entries after a sequence number, oldest first, so that a reader can follow without repeats. */
  since(sequence: number): TimedTraceEntry[] {
    return this.#entries.filter((entry) => entry.sequence > sequence);
  }
}
