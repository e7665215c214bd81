import type { Cell, Table } from "../page.ts";

export const toHref = (cell: Cell | undefined) => (cell && "href" in cell ? cell.href : undefined);
export const textOf = (cell: Cell | undefined): string =>
  cell === undefined
    ? ""
    : Array.isArray(cell)
      ? cell.map(textOf).join(" ")
      : "text" in cell
        ? cell.text
        : "time" in cell
          ? cell.time
          : "";

export function column(table: Table, name: string): readonly Cell[] {
  const index = table.columns.findIndex((one) => one.name === name);
  if (index === -1) throw new Error(`There is no column ${name} in ${table.columns.map((one) => one.name)}.`);
  return table.rows.map((row) => row[index] as Cell);
}
