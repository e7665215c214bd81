import { say } from "../../../infra/command-line/print.ts";

export { progress } from "../../../infra/command-line/print.ts";

/** One figure with its limit, where it has one. */
export interface Row {
  readonly cells: readonly (string | number)[];
  /** Values beyond their limits, as sentences. They fail the run. */
  readonly broken?: string | undefined;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Prints a table with aligned columns; broken limits are marked. */
export function print({ title, columns, rows }: Table): void {
  const lines = [columns, ...rows.map(({ cells }) => cells.map(String))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  say(`\n${title}\n\n  ${format(columns)}`);
  for (const { cells, broken } of rows) say(`${broken ? "! " : "  "}${format(cells.map(String))}`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}
