import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { CardholderStatus } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import type { ListKind } from "../../../shared/lists/kind.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { nameExisting } from "../../../shared/platform/labels.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { type Item, ofProgram, scan } from "./scan.ts";

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
