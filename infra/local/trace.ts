import type { Clock, Trace, TraceEntry } from "./interfaces.ts";

export interface TimedTraceEntry extends TraceEntry {
  sequence: number;
  /** Virtual time, ISO 8601 UTC. */
  at: string;
}

export interface MemoryTrace extends Trace {
  /** Returns the entries after a sequence number, oldest first. */
  since(sequence: number): TimedTraceEntry[];
}

const capacity = 10_000;

/** Keeps the latest entries in memory. */
export function memoryTrace(clock: Pick<Clock, "now">): MemoryTrace {
  const entries: TimedTraceEntry[] = [];
  let sequence = 0;
  return {
    record: (entry) => {
      sequence += 1;
      entries.push({ sequence, at: new Date(clock.now()).toISOString(), ...entry });
      if (entries.length > capacity * 1.1) entries.splice(0, entries.length - capacity);
    },
    since: (after) => entries.filter((entry) => entry.sequence > after),
  };
}
