import { busiestPartitions, costsOfWrites, partitionColumns, writeColumns } from "./list-writes.ts";
import { columns, costsOfLists, costsOfLongLists } from "./lists.ts";
import { print, progress } from "./report.ts";

/** Returns whether any limit was exceeded. */
export async function benchLists(scale: number): Promise<boolean> {
  const broken = print({
    title: "One Program at 5,000 a second, simulated",
    columns: partitionColumns,
    rows: busiestPartitions(),
  });
  const { rows, indexUnits } = await costsOfLists(scale);
  const writes = await costsOfWrites(indexUnits);
  progress("");
  broken.push(...print({ title: "Pages of lists, the worst of all that can be asked for", columns, rows }));
  broken.push(...print({ title: "Write units, amortized at load", columns: writeColumns, rows: writes }));
  console.log(broken.length === 0 ? "\nEvery limit is kept." : `\nBroken limits:\n  ${broken.join("\n  ")}`);
  return broken.length > 0;
}

/** Returns whether any limit was exceeded. */
export async function benchLongLists(records: number, name?: string): Promise<boolean> {
  const rows = await costsOfLongLists(records, name);
  const broken = print({ title: `Pages of lists of ${records} records, built`, columns, rows });
  console.log(broken.length === 0 ? "\nEvery limit is kept." : `\nBroken limits:\n  ${broken.join("\n  ")}`);
  return broken.length > 0;
}
