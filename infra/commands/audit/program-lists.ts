import { isWalletId } from "../../../shared/ledger/journal-entry.ts";
import { programLists } from "../../../shared/list-kinds.ts";
import { checkList, rebuildList } from "../../../shared/lists/rebuild.ts";
import { walletSumFaults } from "./account-books.ts";
import { accountLists, accountRecords, programRecords } from "./list-records.ts";

export interface Compared {
  /** Rebuilds each list before it is compared. */
  readonly isRebuilt: boolean;
  readonly onList: (name: string) => void;
  /** Another rebuild of the list has started meanwhile. */
  readonly onOvertaken: (name: string) => void;
}

/** The differences between a Program's lists and its records, by kind of list. */
export async function compareLists(programId: string, how: Compared): Promise<Map<string, string[]>> {
  const faults = new Map<string, string[]>();
  const addFaults = (name: string, found: readonly string[]) =>
    faults.set(name, [...(faults.get(name) ?? []), ...found]);

  async function compare(...[list, readRecords]: Parameters<typeof checkList>): Promise<void> {
    const { kind, owner } = list;
    const name = owner === undefined ? kind.name : `${kind.name} of ${owner}`;
    how.onList(name);
    if (how.isRebuilt && !(await rebuildList(list, readRecords))) how.onOvertaken(name);
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
    if (["wallets", "cards", "controls"].includes(kind.name)) accountIds.push(...ids);
  }
  for (const list of accountLists(programId, accountIds)) await compare(list, () => accountRecords(list));
  for (const walletId of accountIds.filter(isWalletId)) {
    addFaults("walletTransactions", await walletSumFaults(programId, walletId));
  }
  return faults;
}
