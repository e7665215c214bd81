/**
 * `npm run lists -- check|rebuild <connection file> <programId>`: compares a Program's lists with
 * its records; `rebuild` first rebuilds the lists while in use. Exits with 1 for any difference.
 */
import { readStore, useStore } from "./audit/connect-store.ts";

const [action, connectionFile, programId] = process.argv.slice(2);
if ((action !== "check" && action !== "rebuild") || connectionFile === undefined || programId === undefined) {
  console.error("Usage: npm run lists -- check|rebuild <connection file> <programId>");
  process.exit(2);
}
useStore(readStore(connectionFile));
// Imported late because these modules read the environment.
const { isWalletId } = await import("../../shared/domain/ledger/journal-entry.ts");
const { programLists } = await import("../../shared/domain/list-kinds.ts");
const { checkList, rebuildList } = await import("../../shared/lists/rebuild.ts");
const { accountLists, accountRecords, programRecords } = await import("./audit/list-records.ts");
const { walletSumFaults } = await import("./audit/account-books.ts");

const mostPrinted = 20;

const faults = new Map<string, string[]>();
const addFaults = (name: string, found: readonly string[]) =>
  faults.set(name, [...(faults.get(name) ?? []), ...found]);

async function compare(...[list, readRecords]: Parameters<typeof checkList>): Promise<void> {
  const { kind, owner } = list;
  const name = owner === undefined ? kind.name : `${kind.name} of ${owner}`;
  if (action === "rebuild" && !(await rebuildList(list, readRecords))) {
    console.log(`${name}: another rebuild has started.`);
  }
  const differences = await checkList(list, readRecords);
  addFaults(
    kind.name,
    differences.map(({ id, weight }) => `${id} ${weight > 0 ? "missing from" : "too many in"} ${name}`),
  );
}

const accountIds: string[] = [];
for (const kind of programLists) {
  let ids: string[] = [];
  await compare({ programId, kind }, async () => {
    const entries = await programRecords(programId, kind);
    ids = entries.map(({ id }) => id);
    return entries;
  });
  if (kind.name === "wallets" || kind.name === "cards") accountIds.push(...ids);
}
for (const list of accountLists(programId, accountIds)) await compare(list, () => accountRecords(list));
for (const walletId of accountIds.filter(isWalletId)) {
  addFaults("walletTransactions", await walletSumFaults(programId, walletId));
}
for (const [name, found] of faults) {
  console.log(`${name}: ${found.length === 0 ? "equal to its records" : `${found.length} differences`}`);
  for (const fault of found.slice(0, mostPrinted)) console.log(`! ${fault}`);
}
process.exit([...faults.values()].every(({ length }) => length === 0) ? 0 : 1);
