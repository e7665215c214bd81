import { isDeepStrictEqual } from "node:util";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import type { GivenProgram } from "../harness/given-cards.ts";

type Item = Record<string, unknown>;

/** Everything in both tables that is a Program's or its Tenant's, in the order of the keys. */
export async function itemsOf({ caller }: GivenProgram): Promise<Item[]> {
  const { tenantId = "", programId = "" } = caller;
  const items: Item[] = [];
  for (const TableName of [environment.issuingTable, environment.accountsTable]) {
    for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
      items.push(
        ...Items.filter(
          (item) =>
            item.tenantId === tenantId || [tenantId, programId].some((id) => String(item.pk).startsWith(id)),
        ),
      );
    }
  }
  return items.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}

/** What a running platform goes on writing by itself: each try to reach a receiver, and when the next is due. */
const goesOn = /#(DEADLINE|OUTBOX|PLACES)#| (ATTEMPT|DELIVERY|HEALTH)#/;

/** What was written since: keys of items that came, went or became others. */
export function changedKeys(before: readonly Item[], after: readonly Item[]): string[] {
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => !goesOn.test(key) && !isDeepStrictEqual(old.get(key), now.get(key)),
  );
}

function byKey(items: readonly Item[]): Map<string, Item> {
  return new Map(items.map((item) => [keyOf(item), item]));
}

/** Every identifier that stands anywhere in a value. */
export function identifiersIn(value: unknown): ReadonlySet<string> {
  return new Set(JSON.stringify(value ?? "").match(/\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g) ?? []);
}

function keyOf({ pk, sk }: Item): string {
  return `${pk} ${sk}`;
}
