/**
 * `npm run lists -- check <connection file> <programId>` compares a Program's lists with its records and ends with 1 where any differs; `rebuild` in place of `check`
 * makes those that differ anew, while they are used.
 */
import { readStore, useStore } from "./store.ts";

const [action, connectionFile, programId] = process.argv.slice(2);
if ((action !== "check" && action !== "rebuild") || connectionFile === undefined || programId === undefined) {
  console.error("Usage: npm run lists -- check|rebuild <connection file> <programId>");
  process.exit(2);
}
useStore(readStore(connectionFile));
// Imported only now: what it imports reads the environment.
const { kinds } = await import("../../shared/listing/listed-kind.ts");
const { checkList, rebuildList } = await import("../../shared/listing/rebuild-list.ts");
const { listRecords } = await import("./list-records.ts");

let faults = 0;
for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
  const [list, read] = [{ programId, kind }, () => listRecords(programId, kind)] as const;
  if (action === "rebuild" && !(await rebuildList(list, read)))
    console.log(`${kind}: somebody else rebuilds it.`);
  const differences = await checkList(list, read);
  faults += differences.length;
  console.log(
    `${kind}: ${differences.length === 0 ? "as its records" : `${differences.length} differences`}`,
  );
  for (const { id, weight } of differences.slice(0, 20))
    console.log(`! ${id} ${weight > 0 ? "lacking" : "too much"}`);
}
process.exit(faults === 0 ? 0 : 1);
