import { isDeepStrictEqual } from "node:util";
import type { GivenProgram } from "../../harness/given-cards.ts";
import { allStoredItems, type StoredItem } from "../../harness/stored.ts";

/** Every item of both tables that belongs to a Program or its Tenant. */
export async function itemsOf({ caller }: GivenProgram): Promise<StoredItem[]> {
  const { tenantId = "", programId = "" } = caller;
  const items = await allStoredItems();
  return items.filter(
    ({ pk, tenantId: owner }) => owner === tenantId || pk.startsWith(tenantId) || pk.startsWith(programId),
  );
}

/** Items that a running platform keeps writing: attempts and their deadlines. */
const goesOn = /#(DEADLINE|OUTBOX|SLOTS)#| (ATTEMPT|DELIVERY|HEALTH)#/;

/** What was written since: keys of items that came, went or became others. */
export function changedKeys(before: readonly StoredItem[], after: readonly StoredItem[]): string[] {
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => !goesOn.test(key) && !isDeepStrictEqual(old.get(key), now.get(key)),
  );
}

function byKey(items: readonly StoredItem[]): Map<string, StoredItem> {
  return new Map(items.map((item) => [keyOf(item), item]));
}

/** Every identifier that stands anywhere in a value. */
export function identifiersIn(value: unknown): ReadonlySet<string> {
  return new Set(JSON.stringify(value ?? "").match(/\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g) ?? []);
}

function keyOf({ pk, sk }: StoredItem): string {
  return `${pk} ${sk}`;
}
