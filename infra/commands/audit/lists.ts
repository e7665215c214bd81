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
const { isWalletId } = await import("../../../shared/domain/ledger/wallet-transaction.ts");
const { isProgramKind, kinds } = await import("../../../shared/lists/listed-kind.ts");
const { checkList, rebuildList } = await import("../../../shared/lists/rebuild-list.ts");
const { listRecords } = await import("./list-records.ts");
const { ownedLists, ownedRecords } = await import("./owned-records.ts");
const { walletSumFaults } = await import("./wallet-sums.ts");

type List = Parameters<typeof checkList>[0];
const toldFaults = 20;

/** Differences of each list, by its kind; and Wallets whose transactions do not add up. */
const faults = new Map<string, string[]>();

async function look(list: List, read: Parameters<typeof checkList>[1]): Promise<void> {
  const name = list.owner === undefined ? list.kind : `${list.kind} of ${list.owner}`;
  if (action === "rebuild" && !(await rebuildList(list, read)))
    console.log(`${name}: somebody else rebuilds it.`);
  const differences = await checkList(list, read);
  faults.set(list.kind, [
    ...(faults.get(list.kind) ?? []),
    ...differences.map(({ id, weight }) => `${id} ${weight > 0 ? "lacking" : "too much"} in ${name}`),
  ]);
}

const accountIds: string[] = [];
for (const kind of Object.keys(kinds).filter(isProgramKind)) {
  let entries: Awaited<ReturnType<typeof listRecords>> = [];
  await look({ programId, kind }, async () => {
    entries = await listRecords(programId, kind);
    return entries;
  });
  if (kind === "wallets" || kind === "cards") accountIds.push(...entries.map(({ id }) => id));
}
for (const list of ownedLists(programId, accountIds)) await look(list, () => ownedRecords(list));
for (const walletId of accountIds.filter(isWalletId)) {
  const sums = await walletSumFaults(programId, walletId);
  faults.set("walletTransactions", [...(faults.get("walletTransactions") ?? []), ...sums]);
}
for (const [kind, told] of faults) {
  console.log(`${kind}: ${told.length === 0 ? "as its records" : `${told.length} differences`}`);
  for (const fault of told.slice(0, toldFaults)) console.log(`! ${fault}`);
}
process.exit([...faults.values()].every(({ length }) => length === 0) ? 0 : 1);
