import { z } from "zod";
import type { Clock, Trace, TraceEntry } from "./interfaces.ts";

export interface MemoryTrace extends Trace {
  /** At most so many entries, which are worked out when somebody asks for them. */
  recordLater(most: number, work: () => readonly TraceEntry[]): void;
  since(sequence: number): (TraceEntry & { sequence: number; at: string })[];
}

const capacity = 10_000;

export function memoryTrace(clock: Pick<Clock, "now">): MemoryTrace {
  const kept: { first: number; next: number; atMs: number; work: () => readonly TraceEntry[] }[] = [];
  const recordLater: MemoryTrace["recordLater"] = (most, work) => {
    const first = kept.at(-1)?.next ?? 1;
    kept.push({ first, next: first + most, atMs: clock.now(), work });
    while (first - (kept[0]?.next ?? first) > capacity) kept.shift();
  };
  const read = ({ first, atMs, work }: (typeof kept)[number]) =>
    work().map((entry, index) => ({ sequence: first + index, at: new Date(atMs).toISOString(), ...entry }));
  return {
    record: (entry) => recordLater(1, () => [entry]),
    recordLater,
    since: (after) =>
      kept.flatMap((one) => (one.next > after + 1 ? read(one) : [])).filter((one) => one.sequence > after),
  };
}

const name = z.string().min(1).max(255);
const Directive = z.object({
  Namespace: name.regex(/^[\w./#:-]+$/),
  Dimensions: z.array(z.array(name).max(30)).min(1),
  Metrics: z.array(z.object({ Name: name, Unit: z.string().optional() })).max(100),
});
/** A log line in embedded metric format: its directives name values at its root. */
const EmbeddedLine = z.looseObject({
  _aws: z.object({ Timestamp: z.int().positive(), CloudWatchMetrics: z.array(Directive).min(1) }),
});
const MetricValue = z.number().or(z.array(z.number()).min(1).max(100));
const DimensionValue = z.string().min(1).max(1024);

interface Series {
  namespace: string;
  name: string;
  unit: string;
  dimensions: Record<string, string>;
  samples: number;
  sum: number;
  minimum: number;
  maximum: number;
}

const maximumFaults = 100;

/**
 * Extracts metrics from functions' logs, like CloudWatch. An invalid line is recorded as a fault.
 */
export class Metrics {
  readonly #series = new Map<string, Series>();
  readonly #faults: string[] = [];

  hear(lines: string): void {
    for (const line of lines.split("\n")) {
      if (line.includes('"_aws"')) this.#take(line);
    }
  }

  all(): { metrics: Series[]; faults: string[] } {
    return { metrics: [...this.#series.values()], faults: this.#faults };
  }

  #take(line: string): void {
    try {
      const root = EmbeddedLine.parse(JSON.parse(line));
      for (const { Namespace, Dimensions, Metrics } of root._aws.CloudWatchMetrics) {
        for (const names of Dimensions) {
          const dimensions = Object.fromEntries(names.map((one) => [one, DimensionValue.parse(root[one])]));
          for (const { Name, Unit = "None" } of Metrics) {
            const values = [MetricValue.parse(root[Name])].flat();
            this.#add({ namespace: Namespace, name: Name, unit: Unit, dimensions }, values);
          }
        }
      }
    } catch (error) {
      if (this.#faults.length < maximumFaults) this.#faults.push(String(error));
    }
  }

  #add(one: Pick<Series, "namespace" | "name" | "unit" | "dimensions">, values: number[]): void {
    const key = JSON.stringify(one);
    const known = this.#series.get(key);
    this.#series.set(key, {
      ...one,
      samples: (known?.samples ?? 0) + values.length,
      sum: values.reduce((sum, value) => sum + value, known?.sum ?? 0),
      minimum: Math.min(known?.minimum ?? Number.POSITIVE_INFINITY, ...values),
      maximum: Math.max(known?.maximum ?? Number.NEGATIVE_INFINITY, ...values),
    });
  }
}
