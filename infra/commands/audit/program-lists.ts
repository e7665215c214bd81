import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { CardholderStatus } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { isWalletId } from "../../../shared/ledger/journal-entry.ts";
import { programLists } from "../../../shared/list-kinds.ts";
import type { ListKind } from "../../../shared/lists/kind.ts";
import { checkList, rebuildList } from "../../../shared/lists/rebuild.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { nameExisting } from "../../../shared/platform/labels.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { walletSumFaults } from "./account-books.ts";
import { accountLists, accountRecords, programRecords } from "./list-records.ts";
import { type Item, ofProgram, scan } from "./scan.ts";

export interface Compared {
  /** Rebuilds each list before it is compared, and what leads from an `externalId` to records. */
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
    if (how.isRebuilt) await nameRecords(programId, kind);
    if (["wallets", "cards", "controls"].includes(kind.name)) accountIds.push(...ids);
  }
  for (const list of accountLists(programId, accountIds)) await compare(list, () => accountRecords(list));
  for (const walletId of accountIds.filter(isWalletId)) {
    addFaults("walletTransactions", await walletSumFaults(programId, walletId));
  }
  return faults;
}

/** Kinds that had an `externalId` before anything led from it to the record. */
const namedKinds = {
  cardholders: { kind: "cardholder", entity: cardholders },
  cards: { kind: "card", entity: cards },
  deposits: { kind: "deposit", entity: deposits },
} as const;
type NamedList = keyof typeof namedKinds;

/** All are found by it; the oldest of each kind that is not deleted keeps others out. */
export async function nameRecords(programId: string, { name }: ListKind): Promise<void> {
  if (!Object.hasOwn(namedKinds, name)) return;
  const { kind, entity } = namedKinds[name as NamedList];
  for (const { recordId, externalId, isDeleted } of await readNamed(programId, name as NamedList)) {
    const unchanged = entity.at(programId, recordId).check({ externalId });
    const of = { programId, kind, recordId };
    await nameExisting(of, externalId, { ...unchanged, name: "record" }, kind !== "deposit" && !isDeleted);
  }
}

interface Named {
  readonly recordId: string;
  readonly externalId: string;
  readonly isDeleted: boolean;
}

/** Oldest first. */
async function readNamed(programId: string, list: NamedList): Promise<Named[]> {
  const { entity } = namedKinds[list];
  const found: Named[] = [];
  const { FilterExpression, ExpressionAttributeValues } = ofProgram(programId);
  const having = `${FilterExpression} AND attribute_exists(externalId)`;
  const asked = { FilterExpression: having, ExpressionAttributeValues };
  for await (const item of scan(table, environment.issuingTable, asked)) {
    const recordId = toId(item);
    const { pk, sk } = entity.key(programId, recordId);
    if (item.pk !== pk || item.sk !== sk) continue;
    const isDeleted = list === "cardholders" && item.status === CardholderStatus.deleted;
    found.push({ recordId, externalId: String(item.externalId), isDeleted });
  }
  return found.toSorted((one, other) => (one.recordId < other.recordId ? -1 : 1));
}

function toId({ entityId, depositId }: Item): string {
  return String(depositId ?? entityId);
}
