import type { Severity } from "../../infra/constructs/operations/alarms.ts";
import type { Settings } from "../../infra/environments.ts";
import type { Measurement, Periods } from "./alarm-states.ts";

/** What an alarm is fed: it goes off with the first, and with none of the others. */
export interface Trial {
  readonly severity: Severity;
  readonly off: Periods;
  readonly on: readonly Periods[];
}

export type Dimensions = Readonly<Record<string, string>>;
/** A sum, or the value and how often it was measured. */
export type Values = Readonly<Record<string, number | readonly [value: number, count: number]>>;

export const of = (namespace: string, dimensions: Dimensions, values: Values): Measurement[] =>
  Object.entries(values).map(([name, given]) => {
    const [value, count] = typeof given === "number" ? [given, 1] : given;
    return { namespace, name, dimensions, value, count };
  });
export const times = (count: number, measured: Measurement[]): Periods => Array(count).fill(measured);

/** Of throttles of a function, or of all, which callers notice at once. */
export function throttledTrial(dimensions: Dimensions, severity: Severity): Trial {
  const lambda = (values: Values) => of("AWS/Lambda", dimensions, values);
  return {
    severity,
    off: times(2, lambda({ Throttles: 5 })),
    on: [
      times(9, lambda({ Throttles: 1, Invocations: 3 })),
      times(9, lambda({ Throttles: 900, Invocations: 1_000_000 })),
      [lambda({ Throttles: 900, Invocations: 5 }), ...times(3, lambda({ Throttles: 0, Invocations: 5 }))],
    ],
  };
}

/** Of a count that must not be 0 for so many minutes. */
export function silentTrial(count: Measurement[], minutes: number): Trial {
  const almost = times(minutes / 5 - 1, []);
  return { severity: "page", off: [count, ...almost, []], on: [[count, ...almost, count, ...almost]] };
}

/** Of a day's card numbers, by how many drawn ones were taken. */
export function scarceTrial(own: (values: Values) => Measurement[]): Trial {
  return {
    severity: "ticket",
    off: [own({ NumbersDrawn: 20, NumberCollisions: 9 })],
    on: [
      times(3, own({ NumbersDrawn: 20, NumberCollisions: 8 })),
      times(3, own({ NumbersDrawn: 19, NumberCollisions: 90 })),
    ],
  };
}

/** Of copies, which are made in a part of an hour each night, and counted only then. */
export function copyTrials({ secondCopy }: Settings): Readonly<Record<string, Trial>> {
  if (secondCopy === undefined) return {};
  const copied = of(
    "AWS/Backup",
    { BackupVaultName: secondCopy.vaultName },
    { NumberOfCopyJobsCompleted: 1 },
  );
  const silent = times(25, []);
  return {
    SecondCopySilent: {
      severity: "page",
      off: [copied, ...silent, []],
      on: [[copied, ...silent, copied, ...silent, copied]],
    },
  };
}
