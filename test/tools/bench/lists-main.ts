import { busiestPartitions, costsOfWrites, partitionColumns, writeColumns } from "./list-writes.ts";
import { columns, costsOfLists, costsOfLongLists } from "./lists.ts";
import type { Table } from "./report.ts";

export async function benchLists(scale: number): Promise<Table[]> {
  const title = "One Program at 5,000 a second, simulated";
  const busiest = { title, columns: partitionColumns, rows: busiestPartitions() };
  const { rows, indexUnits } = await costsOfLists(scale);
  return [
    busiest,
    { title: "Pages of lists, the worst of all that can be asked for", columns, rows },
    {
      title: "Write units, amortized at load",
      columns: writeColumns,
      rows: await costsOfWrites(indexUnits),
    },
  ];
}

export async function benchLongLists(records: number, name?: string): Promise<Table[]> {
  const rows = await costsOfLongLists(records, name);
  return [{ title: `Pages of lists of ${records} records, built`, columns, rows }];
}
