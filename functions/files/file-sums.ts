import type { BankMoney } from "../../shared/contract/bank.ts";
import type { FileProgress, FileReport, FileSums } from "../../shared/contract/file-report.ts";
import type { RecordOutcome } from "./file-format.ts";

type Part = Exclude<keyof FileSums, "currency">;

const parts = {
  applied: "booked",
  suspense: "suspense",
  rejected: "refused",
  duplicate: "known",
} as const satisfies Record<RecordOutcome["status"], Part>;

const nothing = { count: 0, amount: 0 };
const empty = { entries: nothing, booked: nothing, suspense: nothing, refused: nothing, known: nothing };

function add(sums: readonly FileSums[], part: Part, money: BankMoney | undefined): readonly FileSums[] {
  if (!money) return sums;
  const { currency, amount } = money;
  const before = sums.find((one) => one.currency === currency) ?? { currency, ...empty };
  const { count, amount: summed } = before[part];
  const after = { ...before, [part]: { count: count + 1, amount: summed + amount } };
  return [...sums.filter((one) => one.currency !== currency), after].toSorted((one, other) =>
    one.currency < other.currency ? -1 : 1,
  );
}

interface Counted {
  readonly status: RecordOutcome["status"];
  readonly money?: BankMoney | undefined;
}

/** With what has become of these records. */
export function addOutcomes(sums: readonly FileSums[], outcomes: readonly Counted[]): FileSums[] {
  return [...outcomes.reduce((all, { status, money }) => add(all, parts[status], money), sums)];
}

/** With the entries, as they stand in the file. */
export function addEntries(sums: readonly FileSums[], entries: readonly BankMoney[]): FileSums[] {
  return [...entries.reduce((all, entry) => add(all, "entries", entry), sums)];
}

type Counts = Pick<FileReport, "records" | "applied" | "duplicates" | "suspense" | "rejected"> &
  Pick<FileProgress, "rejectedUnlisted">;

/** Whether numbers agree, and the money of each currency. */
export function addsUp(counts: Counts, sums: readonly FileSums[]): boolean {
  const { records, applied, duplicates, suspense, rejected, rejectedUnlisted = 0 } = counts;
  if (applied + duplicates + suspense + rejected.length + rejectedUnlisted !== records) return false;
  return sums.every(
    (one) =>
      one.entries.amount === one.booked.amount + one.suspense.amount + one.refused.amount + one.known.amount,
  );
}
