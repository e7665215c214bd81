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

/** Prints a table with aligned columns; broken limits are marked. Returns what is broken. */
export function print({ title, columns, rows }: Table): string[] {
  const lines = [columns, ...rows.map(({ cells }) => cells.map(String))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  console.log(`\n${title}\n\n  ${format(columns)}`);
  for (const { cells, broken } of rows) console.log(`${broken ? "! " : "  "}${format(cells.map(String))}`);
  return rows.flatMap(({ broken }) => (broken ? [broken] : []));
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

/** Tells on the terminal how far a measurement is; nothing where the output goes to a file. */
export function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what}`);
}
